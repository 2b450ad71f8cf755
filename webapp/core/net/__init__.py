"""Network: addresses, proxies, requests to addresses that members give us, secrets at rest."""
