//! The host, asked over its port by plain requests.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use tilewright_explore::{Host, Limits, MAX_BODY};

/// A host that serves for as long as the tests run.
struct Served {
    port: u16,
}

/// What came back.
#[derive(Debug)]
struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl Served {
    fn new() -> Self {
        Served::within(Limits::default())
    }

    fn within(limits: Limits) -> Self {
        let host = Host::bind(None).unwrap().with_limits(limits);
        let port = host.port();
        std::thread::spawn(move || host.serve().unwrap());
        Served { port }
    }

    fn name(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).unwrap()
    }

    /// Sends what is to be sent, as it is, and reads until the host hangs up.
    fn send(&self, request: &[u8]) -> Reply {
        let mut stream = self.connect();
        // A host that refuses early hangs up before it has read all.
        let _ = stream.write_all(request);
        let mut reply = Vec::new();
        let outcome = stream.read_to_end(&mut reply);
        let reply = String::from_utf8(reply).unwrap();
        let (head, body) =
            reply.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{outcome:?}: {reply:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Reply { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    fn get(&self, path: &str, headers: &[&str]) -> Reply {
        let host = format!("Host: {}", self.name());
        self.request("GET", path, &[&[&*host], headers].concat(), b"")
    }

    fn request(&self, method: &str, path: &str, headers: &[&str], body: &[u8]) -> Reply {
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        let head = format!("{method} {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n");
        self.send(&[head.as_bytes(), body].concat())
    }

    /// A question, with all that the page sends along.
    fn ask(&self, body: &[u8]) -> Reply {
        self.ask_with(&["Content-Type: application/json"], body)
    }

    fn ask_with(&self, headers: &[&str], body: &[u8]) -> Reply {
        let host = format!("Host: {}", self.name());
        let length = format!("Content-Length: {}", body.len());
        self.request("POST", "/ask", &[&[&*host, &*length], headers].concat(), body)
    }

    /// The host is as well as before.
    #[track_caller]
    fn lives(&self) {
        let reply = self.ask(br#"{"ask":"to","notation":"xla","layout":"f32[3,5]"}"#);
        assert_eq!((reply.status, &*reply.body), (200, r#"{"answer":{"text":"f32[3,5]{1,0}"}}"#));
    }
}

#[test]
fn the_page_and_what_it_is_made_of() {
    let served = Served::new();
    for (path, media_type, begins) in [
        ("/", "text/html; charset=utf-8", "<!doctype html>"),
        ("/explorer.js", "text/javascript; charset=utf-8", "/*"),
        ("/explorer.css", "text/css; charset=utf-8", "/*"),
    ] {
        let reply = served.get(path, &["Sec-Fetch-Site: same-origin"]);
        assert_eq!(reply.status, 200, "{path}");
        assert!(reply.head.contains(&format!("content-type: {media_type}")), "{reply:?}");
        assert!(reply.body.starts_with(begins), "{path}: {}", &reply.body[..40]);
    }
}

#[test]
fn every_answer_has_the_headers() {
    let served = Served::new();
    let answers = [
        served.get("/", &[]),
        served.ask(br#"{"ask":"operations"}"#),
        served.get("/elsewhere", &[]),
        served.get("/", &["Origin: http://elsewhere"]),
    ];
    for reply in answers {
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; \
             connect-src 'self'; img-src data: blob:; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cross-origin-resource-policy: same-origin",
            "cache-control: no-store",
        ] {
            assert!(reply.head.contains(header), "no {header} in {reply:?}");
        }
    }
}

#[test]
fn questions_have_answers() {
    let served = Served::new();
    let reply = served.ask(br#"{"ask":"index","layout":"f32[3,5]{1,0:T(2,2)}","index":"2,3"}"#);
    assert_eq!((reply.status, &*reply.body), (200, r#"{"answer":{"offset":17}}"#));
    assert!(reply.head.contains("content-type: application/json"), "{reply:?}");
    let reply = served.ask(br#"[{"ask":"to","notation":"xla","layout":"f32[3,5"},{"ask":"x"}]"#);
    assert_eq!(reply.status, 200);
    assert!(reply.body.starts_with(r#"[{"error":{"message":"#), "{reply:?}");
    let own = format!("Origin: http://{}", served.name());
    let headers = ["Content-Type: application/json; charset=utf-8", &*own];
    assert_eq!(served.ask_with(&headers, br#"{"ask":"operations"}"#).status, 200);
}

#[test]
fn other_names_of_the_host_are_refused() {
    let served = Served::new();
    let port = served.port;
    let other = port.wrapping_add(1);
    for host in [
        "elsewhere".to_owned(),
        format!("localhost.elsewhere:{port}"),
        format!("elsewhere-localhost:{port}"),
        format!("127.0.0.1.elsewhere:{port}"),
        format!("127.0.0.1:{other}"),
        format!("0.0.0.0:{port}"),
        format!("[::1]:{port}"),
        "127.0.0.1".to_owned(),
        String::new(),
    ] {
        let reply = served.request("GET", "/", &[&format!("Host: {host}")], b"");
        assert_eq!(reply.status, 403, "{host}: {reply:?}");
    }
    let name = format!("Host: {}", served.name());
    assert_eq!(served.request("GET", "/", &[&name, "Host: elsewhere"], b"").status, 403);
    assert_eq!(served.send(b"GET / HTTP/1.0\r\n\r\n").status, 403);
    let reply = served.request("GET", "/", &[&format!("Host: LOCALHOST:{port}")], b"");
    assert_eq!(reply.status, 200);
    served.lives();
}

#[test]
fn other_pages_are_refused() {
    let served = Served::new();
    let port = served.port;
    let json = "Content-Type: application/json";
    for origin in [
        "null".to_owned(),
        "http://elsewhere".to_owned(),
        format!("https://127.0.0.1:{port}"),
        format!("http://localhost:{port}"),
        format!("http://127.0.0.1:{}", port.wrapping_add(1)),
        format!("http://127.0.0.1:{port}.elsewhere"),
    ] {
        let origin = format!("Origin: {origin}");
        assert_eq!(served.ask_with(&[json, &origin], b"{}").status, 403, "{origin}");
        assert_eq!(served.get("/", &[&origin]).status, 403, "{origin}");
    }
    assert_eq!(served.ask_with(&[json, "Sec-Fetch-Site: cross-site"], b"{}").status, 403);
    assert_eq!(served.get("/", &["Sec-Fetch-Site: cross-site"]).status, 403);
    assert_eq!(served.get("/", &["Sec-Fetch-Site: none"]).status, 200);
    served.lives();
}

#[test]
fn what_a_form_can_send_is_no_question() {
    let served = Served::new();
    for media_type in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonp",
        "text/plain; application/json",
    ] {
        let header = format!("Content-Type: {media_type}");
        let reply = served.ask_with(&[&header], br#"{"ask":"operations"}"#);
        assert_eq!(reply.status, 415, "{media_type}");
    }
    assert_eq!(served.ask_with(&[], b"{}").status, 415);
    served.lives();
}

#[test]
fn paths_and_methods_that_there_are_not() {
    let served = Served::new();
    for path in ["/elsewhere", "/../Cargo.toml", "/%2e%2e/Cargo.toml", "//", "/explorer.js/"] {
        assert_eq!(served.get(path, &[]).status, 404, "{path}");
    }
    assert_eq!(served.get("/ask", &[]).status, 405);
    let host = format!("Host: {}", served.name());
    assert_eq!(served.request("DELETE", "/", &[&host], b"").status, 405);
    served.lives();
}

#[test]
fn bodies_that_are_no_question() {
    let served = Served::new();
    let deep = vec![b'['; 1 << 20];
    for body in [&b""[..], b"{", b"\xff\xfe", b"{}{}", b"nul", &deep] {
        let reply = served.ask(body);
        assert_eq!(reply.status, 400, "{reply:?}");
    }
    // That these say no question is an answer.
    for body in [&b"{}"[..], b"null", b"17", br#"{"ask":"show"}"#, b"[]"] {
        assert_eq!(served.ask(body).status, 200);
    }
    served.lives();
}

#[test]
fn bodies_that_are_too_large() {
    let served = Served::new();
    // Refused by what its length is said to be, before anything of it is sent.
    let host = format!("Host: {}", served.name());
    for length in [MAX_BODY + 1, 1 << 40] {
        let length = format!("Content-Length: {length}");
        let headers = [&*host, &*length, "Content-Type: application/json"];
        let reply = served.request("POST", "/ask", &headers, b"");
        assert_eq!(reply.status, 413, "{length}: {reply:?}");
    }
    // One in chunks does not say its length.
    let mut stream = served.connect();
    let headers = "Content-Type: application/json\r\nTransfer-Encoding: chunked";
    write!(stream, "POST /ask HTTP/1.1\r\n{host}\r\n{headers}\r\n\r\n").unwrap();
    let chunk = [&b"100000\r\n"[..], &[b' '; 1 << 20], b"\r\n"].concat();
    // The host hangs up somewhere behind the limit.
    let sent = (0..=MAX_BODY >> 20).take_while(|_| stream.write_all(&chunk).is_ok()).count();
    assert!(sent >= MAX_BODY >> 20, "{sent} MiB");
    let mut status = [0; 12];
    stream.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 413");
    served.lives();
}

#[test]
fn a_large_body_is_read() {
    let served = Served::new();
    let text = "HloModule large\n".to_owned() + &"// \n".repeat(3 << 20);
    let question = serde_json::json!({ "ask": "hlo", "text": text }).to_string();
    assert!(question.len() > 12 << 20);
    let reply = served.ask(question.as_bytes());
    assert_eq!(reply.status, 200, "{}", reply.head);
}

#[test]
fn broken_requests_leave_the_host_as_it_was() {
    let served = Served::new();
    assert_eq!(served.send(b"nonsense\r\n\r\n").status, 400);
    // Hung up in the midst of a head, and of a body.
    for part in ["GET / HT", "POST /ask HTTP/1.1\r\nContent-Length: 100\r\n\r\n{"] {
        served.connect().write_all(part.as_bytes()).unwrap();
    }
    // One that says nothing at all does not keep others from being answered.
    let silent = served.connect();
    served.lives();
    drop(silent);
}

#[test]
fn this_machine_alone_is_served() {
    let host = Host::bind(None).unwrap();
    let port = host.port();
    assert_eq!(host.url(None), format!("http://127.0.0.1:{port}/"));
    assert_eq!(host.url(Some("4:1 &")), format!("http://127.0.0.1:{port}/#l=4:1%20%26"));
    // The whole of 127.0.0.0/8 is this machine. What listens on one address of it leaves the others.
    assert!(TcpStream::connect(SocketAddr::from(([127, 0, 0, 2], port))).is_err());
    assert!(TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_err());
    assert!(Host::bind(Some(port)).is_err());
}

/// Long enough to say that the host does not do what is waited for.
const NEVER: Duration = Duration::from_secs(120);

/// Waits until the host ends a connection. It does so with a reset where it leaves something unread.
fn is_hung_up(mut stream: TcpStream) -> bool {
    stream.set_read_timeout(Some(NEVER)).unwrap();
    match stream.read_to_end(&mut Vec::new()) {
        Ok(read) => read == 0,
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    }
}

#[test]
fn a_head_that_does_not_come_to_its_end_is_not_waited_for() {
    let short = Limits { head: Duration::from_millis(1), ..Limits::default() };
    let served = Served::within(short);
    for part in ["", "GET / HTTP/1.1\r\nHost: 127.0.0.1"] {
        let mut stream = served.connect();
        // The host may have hung up already.
        let _ = stream.write_all(part.as_bytes());
        assert!(is_hung_up(stream), "{part:?}");
    }
}

#[test]
fn a_connection_has_its_time() {
    let short = Limits { connection: Duration::from_millis(1), ..Limits::default() };
    assert!(is_hung_up(Served::within(short).connect()));
}

#[test]
fn a_request_has_its_time() {
    let short = Limits { request: Duration::ZERO, ..Limits::default() };
    let served = Served::within(short);
    // A body that does not come.
    let headers = ["Content-Type: application/json", "Content-Length: 2"];
    let host = format!("Host: {}", served.name());
    let reply = served.request("POST", "/ask", &[&[&*host], &headers[..]].concat(), b"");
    assert_eq!(reply.status, 408, "{reply:?}");
}

#[test]
fn more_connections_than_there_may_be_wait() {
    let served = Served::within(Limits { connections: 1, ..Limits::default() });
    let host = served.name();
    let asks = |stream: &mut TcpStream| {
        write!(stream, "GET /elsewhere HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
    };
    let is_answered = |stream: &mut TcpStream| stream.read(&mut [0; 4096]).unwrap() > 0;
    let mut first = served.connect();
    asks(&mut first);
    assert!(is_answered(&mut first));
    let mut second = served.connect();
    asks(&mut second);
    // The first one is answered again and again, and the second one is not.
    for _ in 0..10 {
        asks(&mut first);
        assert!(is_answered(&mut first));
    }
    second.set_nonblocking(true).unwrap();
    assert_eq!(second.read(&mut [0; 1]).unwrap_err().kind(), ErrorKind::WouldBlock);
    second.set_nonblocking(false).unwrap();
    drop(first);
    assert!(is_answered(&mut second));
}
