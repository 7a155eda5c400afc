vcl 4.1;

# Varnish in front of the Delivery API: caches public responses, and purges them by surrogate key. Everything else is
# denied: call the Studio API, metrics, preview and health at Marquee itself.
#
# Purges have a listener of their own, `-a purge=HOST:PORT`, which only webhooks and operators may reach. An IP address
# cannot authorize a purge: behind a proxy that ends TLS, all clients have the same private one.
#
# Needs the module xkey of varnish-modules, which the image `varnish` and Debian's package `varnish-modules` have.

import directors;
import xkey;

# The backends `marquee_1`, `marquee_2`, `unchecked_1` and `unchecked_2`, found in `vcl_path`.
include "backends.vcl";

sub vcl_init {
	new checked = directors.round_robin();
	checked.add_backend(marquee_1);
	checked.add_backend(marquee_2);
	new unchecked = directors.round_robin();
	unchecked.add_backend(unchecked_1);
	unchecked.add_backend(unchecked_2);
	new marquee = directors.fallback();
	marquee.add_backend(checked.backend());
	marquee.add_backend(unchecked.backend());
}

sub vcl_recv {
	set req.backend_hint = marquee.backend();

	if (local.socket == "purge") {
		if (req.method != "PURGE") {
			return (synth(405, "Only PURGE"));
		}
		if (!req.http.surrogate-key) {
			return (synth(400, "Surrogate-Key is missing"));
		}
		# A soft purge keeps responses to serve them once more while they are fetched again.
		if (req.http.soft-purge == "1") {
			set req.http.purged = xkey.softpurge(req.http.surrogate-key);
		} else {
			set req.http.purged = xkey.purge(req.http.surrogate-key);
		}
		return (synth(200, "Purged " + req.http.purged));
	}

	# The keys of viewer tokens, which receivers fetch when they see a new one, and the methods of the Delivery API.
	if (req.url == "/.well-known/jwks.json") {
		return (pass);
	}
	if (req.url !~ "^/svc\.cda\.[A-Za-z0-9_.]+/[A-Za-z]+(\?|$)") {
		return (synth(404, "Not Found"));
	}
	if (req.method == "POST" || req.method == "OPTIONS") {
		return (pass);
	}
	if (req.method != "GET" && req.method != "HEAD") {
		return (synth(405, "Method Not Allowed"));
	}

	# By default, Varnish caches no response to a request with Authorization or Cookie. Here the key in
	# Authorization determines the project, responses say so by Vary, and no response depends on a cookie.
	unset req.http.cookie;

	# After a write, a client bypasses the cache; the fresh response is cached for all.
	if (req.http.x-consistency-token) {
		set req.hash_always_miss = true;
	}
	return (hash);
}

# Varnish remembers for two minutes that a response must not be kept, such as a viewer's, for all requests of the same
# hash. The key is part of it, so that these are none of another key.
sub vcl_hash {
	hash_data(req.http.authorization);
}

sub vcl_backend_response {
	# Varnish takes `s-maxage` for the time to live and `stale-while-revalidate` for the grace from
	# Cache-Control, and keeps nothing that is private or no-store (in vcl_beresp_cache_control).
	set beresp.http.xkey = beresp.http.surrogate-key;

	# A response past its grace is revalidated with its ETag, which costs Marquee a 304.
	if (beresp.http.cache-control ~ "^public") {
		set beresp.keep = 1h;
	}
}

sub vcl_deliver {
	unset resp.http.xkey;
	if (obj.hits > 0) {
		set resp.http.x-cache = "hit";
	} else {
		set resp.http.x-cache = "miss";
	}
}
