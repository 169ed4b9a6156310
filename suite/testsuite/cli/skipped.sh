echo no network; exit 77
