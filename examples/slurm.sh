#!/bin/bash
# One population over the GPUs of several nodes of a Slurm cluster, one task per GPU:
#   sbatch examples/slurm.sh                                    from the root of the repository
#   sbatch --nodes=1 examples/slurm.sh seeds=4       Slurm's options first, then the lab's settings
# hosts.auto=true lets the tasks find one another by what Slurm tells them. The population should have at least one
# member per task, in whole multiples. run.dir must be on a disk that the nodes of this job and of the next one see.
#SBATCH --job-name=lab
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4         # not --gpus-per-task: every task sees the node's GPUs, and JAX takes the one of its number
#SBATCH --cpus-per-task=4
#SBATCH --time=04:00:00
#SBATCH --signal=TERM@120         # to all tasks before the time is over: they end their chunk, save and exit with 143
#SBATCH --requeue                 # after a preemption, or a node's failure, Slurm itself starts the job again
#SBATCH --open-mode=append        # and its output goes on in the same file

status=0
srun --cpus-per-task="$SLURM_CPUS_PER_TASK" --kill-on-bad-exit=1 \
    .venv/bin/python run.py experiment=rag_dot seeds=64 run.dir=runs device.require=gpu hosts.auto=true "$@" \
    || status=$?

if [ "$status" -eq 143 ]; then    # stopped by the signal: the same command goes on from its checkpoint
    scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
