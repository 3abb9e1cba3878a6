# The course in a container, set up: `docker build -t streaming-course .`, then
# `docker run --rm -p 8888:8888 streaming-course`, and open the address that JupyterLab prints.
FROM python:3.12-slim-bookworm

RUN apt-get update \
    && apt-get install --yes --no-install-recommends openjdk-17-jre-headless procps \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 learner

# Without it, files could not have letters beyond ASCII.
ENV LANG=C.UTF-8
WORKDIR /home/learner/course
RUN chown learner:learner /home/learner/course
USER learner

# First what set-up reads, so that a changed lesson does not set up anew.
COPY --chown=learner:learner course.py pyproject.toml requirements.lock ./
COPY --chown=learner:learner packages packages
COPY --chown=learner:learner datasets datasets
RUN python course.py setup && rm -rf ~/.cache/uv ~/.cache/pip
COPY --chown=learner:learner . .
# A volume takes over the folder's owner.
RUN mkdir --parents work

EXPOSE 8888
# A volume here keeps a learner's copies and progress: -v streaming-work:/home/learner/course/work
CMD ["python", "course.py", "lab", "--", "--ip=0.0.0.0", "--no-browser"]
