# The two processes, and the check of readiness that lets Varnish send requests to them.
# Twice a second, and two failures, are less than the three seconds of --drain-seconds in compose.yaml.

probe ready {
	.url = "/readyz";
	.interval = 500ms;
	.timeout = 2s;
	.window = 3;
	.threshold = 2;
	.initial = 1;
}

backend marquee_1 {
	.host = "marquee-1";
	.port = "8080";
	.probe = ready;
}

backend marquee_2 {
	.host = "marquee-2";
	.port = "8080";
	.probe = ready;
}

# The same processes without the check. While none is ready, as without the database, each still has cached responses.
backend unchecked_1 {
	.host = "marquee-1";
	.port = "8080";
}

backend unchecked_2 {
	.host = "marquee-2";
	.port = "8080";
}
