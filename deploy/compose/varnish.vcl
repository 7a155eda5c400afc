vcl 4.1;

# Varnish in front of Marquee: keeps the public answers of delivery, and purges them by surrogate key.
# Needs the module xkey of varnish-modules, which the image `varnish` and Debian's package `varnish-modules` have.

import directors;
import xkey;

# The backends `marquee_1` and `marquee_2`, found in `vcl_path`.
include "backends.vcl";

# Who may purge: the machines that write, and this one. The networks of compose are among the private ones.
acl purgers {
	"localhost";
	"10.0.0.0"/8;
	"172.16.0.0"/12;
	"192.168.0.0"/16;
}

sub vcl_init {
	new marquee = directors.round_robin();
	marquee.add_backend(marquee_1);
	marquee.add_backend(marquee_2);
}

sub vcl_recv {
	set req.backend_hint = marquee.backend();

	if (req.method == "PURGE") {
		if (client.ip !~ purgers) {
			return (synth(403, "Forbidden"));
		}
		if (!req.http.surrogate-key) {
			return (synth(400, "Surrogate-Key is missing"));
		}
		# A soft purge keeps answers to serve them once more while they are fetched anew.
		if (req.http.soft-purge == "1") {
			set req.http.purged = xkey.softpurge(req.http.surrogate-key);
		} else {
			set req.http.purged = xkey.purge(req.http.surrogate-key);
		}
		return (synth(200, "Purged " + req.http.purged));
	}

	# Management, calls that write, and POST reach Marquee as they are.
	if (req.method != "GET" && req.method != "HEAD") {
		return (pass);
	}
	if (req.url !~ "^/svc\.cda\.") {
		return (pass);
	}

	# Varnish keeps no answer to a request with Authorization or Cookie by default. Here the key in
	# Authorization determines the project, answers say so by Vary, and no answer depends on a cookie.
	unset req.http.cookie;

	# Who has just written wants an answer with that write in it; it is kept for the others as well.
	if (req.http.x-consistency-token) {
		set req.hash_always_miss = true;
	}
	return (hash);
}

sub vcl_backend_response {
	# Varnish takes `s-maxage` for the time to live and `stale-while-revalidate` for the grace from
	# Cache-Control, and keeps nothing that is private or no-store (in vcl_beresp_cache_control).
	# The project is a key of all its answers, of which only shortened ones name it alone.
	set beresp.http.xkey = beresp.http.surrogate-key + " "
		+ regsub(beresp.http.surrogate-key, "[/ ].*$", "");

	# An answer past its grace is revalidated with its ETag, which costs Marquee a 304.
	set beresp.keep = 1h;
}

sub vcl_deliver {
	unset resp.http.xkey;
	if (obj.hits > 0) {
		set resp.http.x-cache = "hit";
	} else {
		set resp.http.x-cache = "miss";
	}
}
