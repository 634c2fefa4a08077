"""One thread for every test process: the suite runs two of them on two cores."""

import os

for pool in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(pool, "1")
