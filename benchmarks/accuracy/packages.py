"""Which releases are compared: package names and versions, as data.

Neighbours in a row are compared, each pair in turn: consecutive releases, or consecutive feature
releases of packages that make many small ones. Chosen to have Python, C, Rust, JavaScript and
TypeScript, HTML and Markdown in their source archives, and enough tabs and typographic quotes:
fontTools and uWSGI are indented with tabs, Nikola, WeasyPrint, attrs and structlog write real dashes.
"""

_VERSIONS = {
    "attrs": "21.4.0 22.1.0 22.2.0 23.1.0 23.2.0 24.1.0",
    "black": "22.10.0 22.12.0 23.1.0 23.3.0 23.7.0 23.9.0",
    "cryptography": "41.0.0 42.0.0 43.0.0 44.0.0",
    "django": "4.2 5.0 5.1",
    "django-debug-toolbar": "4.2.0 4.3.0 4.4.0 5.0.0",
    "djangorestframework": "3.13.0 3.14.0 3.15.0",
    "fonttools": "4.26.0 4.27.0 4.28.0 4.29.0 4.30.0",
    "gevent": "23.7.0 23.9.1 24.2.1",
    "hatch": "1.7.0 1.8.0 1.9.0 1.10.0 1.11.0 1.12.0",
    "ipydatagrid": "1.2.0 1.3.0",
    "jupyterlab-git": "0.41.0 0.42.0 0.43.0 0.44.0 0.50.0 0.51.0",
    "maturin": "1.4.0 1.5.0 1.6.0 1.7.0 1.8.0",
    "nikola": "7.8.0 8.0.0 8.1.0 8.2.0 8.3.0",
    "polars": "1.5.0 1.6.0",
    "psutil": "5.9.6 5.9.7 5.9.8 6.0.0 6.1.0 7.0.0",
    "pymdown-extensions": "9.8 9.9 9.10 9.11 10.0 10.1 10.2",
    "ruff": "0.5.0 0.5.1 0.5.2",
    "sphinx": "7.2.6 7.3.0 7.4.0",
    "structlog": "21.5.0 22.1.0 22.2.0 22.3.0 23.1.0 23.2.0 24.1.0",
    "uwsgi": "2.0.6 2.0.7 2.0.8 2.0.9 2.0.10 2.0.11 2.0.12 2.0.13 2.0.14 2.0.15 2.0.16 2.0.17 2.0.18",
    "wagtail": "6.1 6.2",
    "weasyprint": "52.5 53.0 54.0 55.0 56.0 57.0 58.0 59.0 60.0 61.0 62.0 63.0 64.0",
}

PACKAGES = {name: tuple(versions.split()) for name, versions in _VERSIONS.items()}
