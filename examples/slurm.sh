#!/bin/bash
# One population over the GPUs of a node of a Slurm cluster, one member or more per GPU:
#   sbatch examples/slurm.sh                                    from the root of the repository
#   sbatch --gpus-per-node=2 examples/slurm.sh seeds=4       Slurm's options first, then the lab's settings
# The population should be a multiple of the GPUs. run.dir must be on a disk that the next job sees, too.
#SBATCH --job-name=lab
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=16
#SBATCH --time=04:00:00
#SBATCH --signal=TERM@120         # before the time is over: the run ends its chunk, saves and exits with 143
#SBATCH --requeue                 # after a preemption, or a node's failure, Slurm itself starts the job again
#SBATCH --open-mode=append        # and its output goes on in the same file

status=0
srun --cpus-per-task="$SLURM_CPUS_PER_TASK" \
    .venv/bin/python run.py experiment=rag_dot seeds=64 run.dir=runs device.require=gpu "$@" \
    || status=$?

if [ "$status" -eq 143 ]; then    # stopped by the signal: the same command goes on from its checkpoint
    scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
