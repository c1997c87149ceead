"""`python -m app` is `gradstep`."""

from app.cli import main

raise SystemExit(main())
