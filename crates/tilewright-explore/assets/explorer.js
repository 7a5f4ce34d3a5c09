/* Made of page/ by `npm run build`.

Preact, which is in here:

The MIT License (MIT)

Copyright (c) 2015-present Jason Miller

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
*/

// node_modules/preact/dist/preact.mjs
var n;
var t;
var r;
var u;
var i;
var f;
var o;
var e;
var l;
var c;
var a;
var s;
var h = /* @__PURE__ */ Symbol.for("pv");
var p = {};
var y = [];
var v = /^m(i|n|o|s|text|space)$/;
var w = Array.isArray;
var d = y.slice;
var _ = Object.assign;
function g(n2) {
  n2 && n2.parentNode && n2.remove();
}
function m(r3, u3, i3, f4, o4) {
  var e3 = { type: r3, props: u3, key: i3, ref: f4, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: h, __v: o4 || ++t, __i: -1, __u: 0 };
  return !o4 && n.vnode && n.vnode(e3), e3;
}
function $(n2) {
  return n2.children;
}
function x(n2, t3) {
  this.props = n2, this.context = t3, this.__g = 0;
}
function S(n2, t3) {
  if (null == t3) return n2.__ && S(n2.__, n2.__i + 1);
  for (var r3; t3 < n2.__k.length; t3++) if ((r3 = n2.__k[t3]) && r3.__e) return r3.__e;
  return "function" != typeof n2.type || n2.props.__P ? null : S(n2);
}
function C(t3) {
  var r3, u3 = t3.__v, i3 = u3.__e, f4 = [], o4 = [], e3 = t3.__P;
  e3 && ((r3 = _({ constructor: h }, u3)).__v = u3.__v + 1, n.vnode && n.vnode(r3), z(e3, r3, u3, t3.__n, e3.namespaceURI, 32 & u3.__u ? [i3] : null, f4, i3 || S(u3), 32 & u3.__u, o4), r3.__v = u3.__v, r3.__.__k[r3.__i] = r3, E(f4, r3, o4), u3.__ = u3.__e = null, r3.__e != i3 && j(r3));
}
function j(n2) {
  if ((n2 = n2.__) && n2.__c && !n2.props.__P) return n2.__e = null, n2.__k.some(function(t3) {
    return t3 && (n2.__e = t3.__e);
  }), j(n2);
}
function L(t3) {
  (8 & t3.__g || (t3.__g |= 8, u.push(t3), f++)) && i == n.debounceRendering || ((i = n.debounceRendering) || queueMicrotask)(H);
}
function H() {
  try {
    for (var n2, t3 = 1; u.length; ) u.length > t3 && u.sort(o), n2 = u.shift(), t3 = u.length, 8 & n2.__g && C(n2);
  } finally {
    (f = u.length) && (i || queueMicrotask)(H);
  }
}
function I(n2, t3, r3, u3, i3, f4, o4, e3, l3, c3, a4) {
  var s3, h3, v3, w3, d3, _3, g3 = u3.__k || y, k2 = t3.length;
  for (l3 = q(r3, t3, g3, l3, k2), s3 = 0; s3 < k2; s3++) null != (v3 = r3.__k[s3]) && (h3 = ~v3.__i && g3[v3.__i] || p, v3.__i = s3, _3 = z(n2, v3, h3, i3, f4, o4, e3, l3, c3, a4), w3 = v3.__e, (h3.ref != v3.ref || 8 & h3.__u) && (h3.ref && G(h3.ref, null, v3, h3), v3.ref && a4.push(v3.ref, v3.__c || w3, v3)), d3 = d3 || w3, 4 & v3.__u ? (l3 = A(v3, l3, n2, !h3.__v), h3.__e && (h3.__e = null)) : "function" == typeof v3.type && void 0 !== _3 ? l3 = _3 : w3 && (l3 = w3.nextSibling), v3.__u &= -21);
  return r3.__e = d3, l3;
}
function q(n2, t3, r3, u3, i3) {
  var f4, o4, e3, l3, c3, a4, s3, p3, y3, v3 = r3.length, d3 = v3, _3 = 0, g3 = 0, k2 = n2.__k = Array(i3);
  for (f4 = 0; f4 < i3; f4++) null != (o4 = t3[f4]) && "boolean" != typeof o4 && "function" != typeof o4 ? ("object" != typeof o4 || o4.constructor === String ? o4 = k2[f4] = m(null, o4) : w(o4) ? o4 = k2[f4] = m($, { children: o4 }) : o4.constructor === h && o4.__b ? o4 = k2[f4] = m(o4.type, o4.props, o4.key, o4.ref, o4.__v) : k2[f4] = o4, l3 = f4 + _3, o4.__ = n2, o4.__b = n2.__b + 1, e3 = null, ~(c3 = o4.__i = P(o4, r3, l3, d3)) && (d3--, (e3 = r3[c3]) && (e3.__u |= 2)), e3 && e3.__v ? (o4.__u |= 16, c3 == l3 - 1 ? _3-- : c3 == l3 + 1 ? _3++ : c3 != l3 && (c3 > l3 ? _3-- : _3++, g3 = 1)) : (~c3 || (i3 > v3 ? _3-- : i3 < v3 && _3++), "function" != typeof o4.type && (o4.__u |= 4))) : k2[f4] = null;
  if (g3) {
    for (a4 = [], s3 = [], f4 = 0; f4 < i3; f4++) if ((o4 = k2[f4]) && 16 & o4.__u) {
      for (_3 = 0, p3 = a4.length; _3 < p3; ) a4[y3 = _3 + p3 >> 1] < o4.__i ? _3 = y3 + 1 : p3 = y3;
      a4[_3] = o4.__i, s3[f4] = _3 + 1;
    }
    for (_3 = a4.length; f4--; ) s3[f4] && (s3[f4] == _3 ? _3-- : k2[f4].__u |= 4);
  }
  if (d3) for (f4 = 0; f4 < v3; f4++) !(e3 = r3[f4]) || 2 & e3.__u || (e3.__e == u3 && (u3 = S(e3)), J(e3, e3));
  return u3;
}
function A(n2, t3, r3, u3) {
  var i3, f4, o4, e3;
  if ("function" == typeof n2.type) {
    if (n2.props.__P) return t3;
    if (i3 = n2.__k) for (f4 = 0; f4 < i3.length; f4++) i3[f4] && (i3[f4].__ = n2, t3 = A(i3[f4], t3, r3, false));
    return t3;
  }
  for (t3 && !t3.parentNode && (t3 = S(n2)) && !t3.parentNode && (t3 = null), o4 = n2.__e, e3 = t3; e3 && 8 == e3.nodeType; ) e3 = e3.nextSibling;
  for (o4 != e3 && (!u3 && r3.moveBefore && o4.parentNode ? r3.moveBefore(o4, t3) : r3.insertBefore(o4, t3 || null)), t3 = o4; (t3 = t3 && t3.nextSibling) && 8 == t3.nodeType && !t3.data.startsWith("$s"); ) ;
  return t3;
}
function P(n2, t3, r3, u3) {
  var i3, f4 = n2.key, o4 = n2.type, e3 = t3[r3], l3 = e3 && !(2 & e3.__u);
  if (null === e3 && null == f4 || l3 && f4 == e3.key && o4 == e3.type) return r3;
  if (u3 > (l3 ? 1 : 0)) {
    for (i3 = r3 - 1; i3 >= 0; i3--) if ((e3 = t3[i3]) && !(2 & e3.__u) && f4 == e3.key && o4 == e3.type) return i3;
    for (i3 = r3 + 1; i3 < t3.length; i3++) if ((e3 = t3[i3]) && !(2 & e3.__u) && f4 == e3.key && o4 == e3.type) return i3;
  }
  return -1;
}
function T(n2, t3, r3) {
  null == r3 && (r3 = ""), "-" == t3[0] ? n2.setProperty(t3, r3) : n2[t3] = r3;
}
function N(n2, t3, r3, u3, i3) {
  var f4, o4;
  if ("style" == t3) if ("string" == typeof r3) n2.style.cssText = r3;
  else {
    if ("string" == typeof u3 && (n2.style.cssText = u3 = ""), u3) for (t3 in u3) r3 && t3 in r3 || T(n2.style, t3);
    if (r3) for (t3 in r3) u3 && r3[t3] == u3[t3] || T(n2.style, t3, r3[t3]);
  }
  else if ("o" == t3[0] && "n" == t3[1]) "function" != typeof r3 && (r3 = null), "function" != typeof u3 && (u3 = null), (n2.__e || (n2.__e = {}))[t3] = r3, r3 && u3 || (o4 = a[t3] || (a[t3] = V(t3)), (n2.__a || (n2.__a = {}))[t3] = c, f4 = t3 != (t3 = t3.replace(l, "$1")), (t3 = t3.slice(2))[0] < "a" && (t3 = t3.toLowerCase()), r3 ? n2.addEventListener(t3, o4, f4) : n2.removeEventListener(t3, o4, f4));
  else {
    if ("http://www.w3.org/2000/svg" == i3) t3 = t3.replace(/xlink(H|:h)/, "h").replace(/sName$/, "s");
    else if ("width" != t3 && "height" != t3 && "href" != t3 && "list" != t3 && "form" != t3 && "tabIndex" != t3 && "download" != t3 && "rowSpan" != t3 && "colSpan" != t3 && "role" != t3 && "popover" != t3 && t3 in n2) try {
      return void (n2[t3] = null == r3 ? "" : r3);
    } catch (n3) {
    }
    if ("function" == typeof r3) return;
    null == r3 || false === r3 && "-" != t3[4] ? n2.removeAttribute(t3) : n2.setAttribute(t3, "popover" == t3 && 1 == r3 ? "" : r3);
  }
}
function V(t3) {
  return function(r3) {
    var u3 = this.__e;
    if (u3) {
      if (u3 = u3[t3], null == r3[e]) r3[e] = c++;
      else if (r3[e] < this.__a[t3]) return;
      return u3(n.event ? n.event(r3) : r3);
    }
  };
}
function z(t3, r3, u3, i3, f4, o4, e3, l3, c3, a4) {
  var s3, p3, v3, d3, k2, b2, m3, M, C3, j2, L2, H2, q2, A3, O, P3, T3, N2, V2 = r3.type;
  if (r3.constructor !== h) return null;
  128 & u3.__u && (c3 = 32 & u3.__u, s3 = u3.__c.__z) && (r3.__u |= c3, p3 = o4 = [], 8 == s3.nodeType ? l3 = B(s3, o4) : o4.push(s3), l3 = o4[0] || l3), (s3 = n.__b) && s3(r3);
  n: if ("function" == typeof V2) {
    v3 = e3.length;
    try {
      if (M = r3.props, C3 = (s3 = V2.prototype) && s3.render, j2 = (s3 = V2.contextType) && i3[s3.__c], L2 = s3 ? j2 ? j2.props.value : s3.__ : i3, (d3 = u3.__c) ? (r3.__c = d3, 2 & d3.__g && (d3.__g |= 1)) : (C3 ? r3.__c = d3 = new V2(M, L2) : (r3.__c = d3 = new x(M, L2), d3.constructor = V2, d3.render = K), j2 && j2.sub(d3), d3.state || (d3.state = {}), d3.__n = i3, d3.__g |= 8, d3.__h = [], d3.__k = []), C3 && (d3.__s || (d3.__s = d3.state), V2.getDerivedStateFromProps && (d3.__s == d3.state && (d3.__s = _({}, d3.__s)), _(d3.__s, V2.getDerivedStateFromProps(M, d3.__s)))), k2 = d3.props, b2 = d3.state, d3.__v = r3, u3.__c) {
        if (M !== k2 && C3 && !V2.getDerivedStateFromProps && d3.componentWillReceiveProps && d3.componentWillReceiveProps(M, L2), r3.__v == u3.__v && !(8 & d3.__g) || !(4 & d3.__g) && d3.shouldComponentUpdate && false === d3.shouldComponentUpdate(M, d3.__s, L2)) {
          r3.__v != u3.__v && (d3.props = M, d3.state = d3.__s, d3.__g &= -9), r3.__e = u3.__e, r3.__k = u3.__k, r3.__k.some(function(n2) {
            n2 && (n2.__ = r3);
          }), y.push.apply(d3.__h, d3.__k), d3.__k = [], d3.__h.length && e3.push(d3), l3 = S(u3);
          break n;
        }
        d3.componentWillUpdate && d3.componentWillUpdate(M, d3.__s, L2), C3 && d3.componentDidUpdate && d3.__h.push(function() {
          d3.componentDidUpdate(k2, b2, m3);
        });
      } else C3 && !V2.getDerivedStateFromProps && d3.componentWillMount && d3.componentWillMount(), C3 && d3.componentDidMount && d3.__h.push(d3.componentDidMount);
      d3.context = L2, d3.props = M, d3.__P = t3, d3.__g &= -5, H2 = n.__r, q2 = C3 ? 25 : 0;
      do {
        d3.__g &= -9, H2 && H2(r3), s3 = d3.render(d3.props, d3.state = d3.__s, d3.context);
      } while (8 & d3.__g && ++q2 < 25);
      C3 && (y.push.apply(d3.__h, d3.__k), d3.__k = []), d3.state = d3.__s, d3.getChildContext && (i3 = _({}, i3, d3.getChildContext())), C3 && u3.__c && d3.getSnapshotBeforeUpdate && (m3 = d3.getSnapshotBeforeUpdate(k2, b2)), A3 = s3 && s3.type === $ && null == s3.key ? s3.props.children : s3, M.__P && (s3 = l3, f4 = (t3 = M.__P).namespaceURI, c3 = o4 = null, u3.props && u3.props.__P != t3 && (u3.__k.some(function(n2) {
        n2 && J(n2, n2);
      }), u3.__k = null), l3 = u3.__k ? S(u3, 0) : null), l3 = I(t3, w(A3) ? A3 : [A3], r3, u3, i3, f4, o4, e3, l3, c3, a4), M.__P && (r3.__e = null, l3 = s3), r3.__u &= -161, p3 && p3.some(g), d3.__h.length && e3.push(d3), 1 & d3.__g && (d3.__g &= -4);
    } catch (t4) {
      if (e3.length = v3, r3.__v = null, c3 || o4) if (t4 && t4.then) {
        if (r3.__u |= 128 | c3, o4) {
          for (~(T3 = o4.indexOf(l3 || void 0)) || (T3 = o4.length); (N2 = o4[T3 - 1]) && 8 == N2.nodeType; ) T3--;
          for (; T3 < o4.length; T3++) if (N2 = o4[T3]) if (o4[T3] = null, O) {
            if (N2 == P3) break;
          } else {
            if (8 != N2.nodeType) break;
            N2.data.startsWith("$s") && (P3 = B(O = N2));
          }
        }
        if (!O) {
          for (; l3 && 8 == l3.nodeType && l3.nextSibling; ) l3 = l3.nextSibling;
          O = l3;
        }
        (s3 = B(O = r3.__c.__z || (r3.__c.__z = O))) ? (r3.__e = O, l3 = s3) : r3.__e = l3, l3 = l3 && l3.nextSibling;
      } else o4 && o4.some(g);
      else r3.__e = u3.__e;
      r3.__k || (r3.__k = u3.__k || []), t4 && t4.then || D(r3), n.__e(t4, r3, u3);
    }
  } else l3 = r3.__e = F(u3.__e, r3, u3, i3, f4, o4, e3, c3, a4, t3);
  return (s3 = n.diffed) && s3(r3), l3;
}
function B(n2, t3) {
  if (n2 && 8 == n2.nodeType && n2.data.startsWith("$s")) for (var r3 = 1; n2 = n2.nextSibling; ) {
    if (8 == n2.nodeType) {
      if (n2.data.startsWith("$s")) r3++;
      else if (n2.data.startsWith("/$s") && !--r3) return n2;
    }
    t3 && t3.push(n2);
  }
}
function D(n2) {
  n2 && (n2.__c && (n2.__c.__g |= 4), n2.__k && n2.__k.some(D));
}
function E(t3, r3, u3) {
  for (var i3 = 0; i3 < u3.length; ) G(u3[i3++], u3[i3++], u3[i3++]);
  n.__c && n.__c(r3, t3), t3.some(function(r4) {
    try {
      t3 = r4.__h, r4.__h = [], t3.some(function(n2) {
        n2.call(r4);
      });
    } catch (t4) {
      n.__e(t4, r4.__v);
    }
  });
}
function F(t3, r3, u3, i3, f4, o4, e3, l3, c3, a4) {
  var s3, h3, y3, _3, k2, b2, m3, M, $2 = u3.props || p, x2 = r3.props, C3 = r3.type;
  if ("svg" == C3 ? f4 = "http://www.w3.org/2000/svg" : "math" == C3 ? f4 = "http://www.w3.org/1998/Math/MathML" : f4 || (f4 = "http://www.w3.org/1999/xhtml"), o4) {
    for (s3 = 0; s3 < o4.length; s3++) if ((k2 = o4[s3]) && (C3 ? k2.localName == C3 : 3 == k2.nodeType)) {
      t3 = k2, o4[s3] = null;
      break;
    }
  }
  if (!t3) {
    if (M = a4.ownerDocument || document, !C3) return M.createTextNode(x2);
    t3 = M.createElementNS(f4, C3, x2.is ? x2 : a4), l3 && (n.__m && n.__m(r3, o4), l3 = false), o4 = null;
  }
  if (C3) {
    if (a4 = "template" == C3 && t3.content || t3, o4 = "textarea" == C3 && null != x2.defaultValue ? null : o4 && d.call(a4.childNodes), !l3 && o4) for ($2 = {}, s3 = 0; s3 < t3.attributes.length; s3++) $2[(k2 = t3.attributes[s3]).name] = k2.value;
    for (s3 in $2) k2 = $2[s3], "dangerouslySetInnerHTML" == s3 ? y3 = k2 : "children" == s3 || s3 in x2 || "value" == s3 && "defaultValue" in x2 || "checked" == s3 && "defaultChecked" in x2 || N(t3, s3, null, k2, f4);
    for (s3 in x2) k2 = x2[s3], "children" == s3 ? _3 = k2 : "dangerouslySetInnerHTML" == s3 ? h3 = k2 : "value" == s3 ? b2 = k2 : "checked" == s3 ? m3 = k2 : l3 && "function" != typeof k2 || $2[s3] === k2 || N(t3, s3, k2, $2[s3], f4);
    h3 ? (l3 || y3 && (h3.__html == y3.__html || h3.__html == t3.innerHTML) || (t3.innerHTML = h3.__html), r3.__k = []) : (y3 && (t3.textContent = ""), ("foreignObject" == C3 || "http://www.w3.org/1998/Math/MathML" == f4 && v.test(C3)) && (f4 = "http://www.w3.org/1999/xhtml"), I(a4, w(_3) ? _3 : [_3], r3, u3, i3, f4, o4, e3, o4 ? o4[0] : u3.__k && S(u3, 0), l3, c3), o4 && o4.some(g)), l3 && "textarea" != C3 || (s3 = "value", "progress" == C3 && null == b2 ? t3.removeAttribute(s3) : null == b2 || b2 === t3[s3] && ("progress" != C3 || b2) || N(t3, s3, b2, $2[s3], f4), s3 = "checked", null != m3 && m3 != t3[s3] && N(t3, s3, m3, $2[s3], f4));
  } else $2 === x2 || l3 && t3.data == x2 || (t3.data = x2);
  return t3;
}
function G(t3, r3, u3, i3) {
  try {
    "function" == typeof t3 ? r3 ? r3.__x = t3(r3) || 1 : i3 && (i3 = i3.__c || i3.__e) && (r3 = i3.__x) && (i3.__x = null, "function" == typeof r3 ? r3() : t3(null)) : t3.current = r3;
  } catch (t4) {
    n.__e(t4, u3);
  }
}
function J(t3, r3, u3) {
  var i3, f4, o4, e3;
  if (n.unmount && n.unmount(t3), !(i3 = t3.ref) || i3.current && i3.current != t3.__e || G(i3, null, r3, t3), i3 = t3.__c) {
    if (i3.componentWillUnmount) try {
      i3.componentWillUnmount();
    } catch (t4) {
      n.__e(t4, r3);
    }
    i3.__P = i3.__n = null;
  }
  if (i3 = t3.__k) for (e3 = 0; e3 < i3.length; e3++) i3[e3] && J(i3[e3], r3, "function" != typeof t3.type || u3 && !t3.props.__P);
  !u3 && (i3 = t3.__c) && (i3 = i3.__z) && (f4 = B(i3, o4 = [])) && (i3 == t3.__e && o4.some(g), g(f4), g(i3)), u3 || g(t3.__e), t3.__e = t3.__c = t3.__ = null;
}
function K(n2, t3, r3) {
  return this.constructor(n2, r3);
}
function Q(t3, r3) {
  var u3, i3, f4, o4;
  n.__ && n.__(t3, r3), 9 == r3.nodeType && (r3 = r3.documentElement), i3 = (u3 = t3 && 32 & t3.__u) ? null : r3.__k, r3.__k = m($, { children: [t3] }), f4 = [], o4 = [], z(r3, r3.__k, i3 || p, p, r3.namespaceURI, i3 ? null : r3.firstChild ? d.call(r3.childNodes) : null, f4, i3 ? i3.__e : r3.firstChild, u3, o4), E(f4, r3.__k, o4), r3.__k.props.children = null;
}
n = { __e: function(n2, t3, r3, u3) {
  for (var i3, o4, e3; t3 = t3.__; ) if ((i3 = t3.__c) && !(1 & i3.__g)) {
    i3.__g |= 4;
    try {
      if ((e3 = (o4 = i3.constructor) && o4.getDerivedStateFromError) && i3.setState(o4.getDerivedStateFromError(n2)), i3.componentDidCatch && (i3.componentDidCatch(n2, u3 || {}), e3 = 1), e3 && 8 & i3.__g) return void (i3.__g |= 2);
    } catch (t4) {
      n2 = t4;
    }
  }
  throw f = 0, n2;
} }, t = 0, r = function(n2) {
  return null != n2 && n2.constructor === h;
}, x.prototype.setState = function(n2, t3) {
  var r3 = this.__s;
  r3 && r3 != this.state || (r3 = this.__s = _({}, this.state)), "function" == typeof n2 && (n2 = n2(_({}, r3), this.props)), n2 && (_(r3, n2), this.__v && (t3 && this.__k.push(t3), L(this)));
}, x.prototype.forceUpdate = function(n2) {
  this.__v && (this.__g |= 4, n2 && this.__h.push(n2), L(this));
}, x.prototype.render = $, u = [], f = 0, o = function(n2, t3) {
  return n2.__v.__b - t3.__v.__b;
}, e = /* @__PURE__ */ Symbol(), l = /(PointerCapture)$|Capture$/i, c = 0, a = {}, s = 0;

// node_modules/preact/hooks/dist/hooks.mjs
var t2;
var r2;
var u2;
var i2;
var o2 = Object.is;
var f2 = 0;
var c2 = [];
var e2 = [];
var a2 = n;
var v2 = a2.__b;
var l2 = a2.__r;
var m2 = a2.diffed;
var h2 = a2.__c;
var s2 = a2.unmount;
var p2 = a2.__;
function y2(n2, t3) {
  a2.__h && a2.__h(r2, n2, f2 || t3), f2 = 0;
  var u3 = r2.__H || (r2.__H = { __: [], __h: [] });
  return n2 >= u3.__.length && u3.__.push({}), u3.__[n2];
}
function d2(n2) {
  return f2 = 1, _2(G2, n2);
}
function _2(n2, u3, i3) {
  var f4 = y2(t2++, 2);
  if (f4.t = n2, !f4.__c && (f4.__ = [i3 ? i3(u3) : G2(void 0, u3), function(n3) {
    var t3 = (f4.__N || f4.__)[0], r3 = f4.t(t3, n3);
    o2(t3, r3) || (f4.__N = [r3, f4.__[1]], f4.__c.setState({}));
  }], f4.__c = r2, !r2.__f)) {
    r2.__f = true;
    var c3 = r2.shouldComponentUpdate;
    r2.shouldComponentUpdate = function(n3, t3, r3) {
      var u4 = this.__H;
      if (!u4) return true;
      var i4 = false, f5 = this.props != n3;
      if (u4.__.some(function(n4) {
        n4.__N && (i4 = true, o2(n4.__[0], n4.__N[0]) || (f5 = true));
      }), c3) {
        var e3 = c3.call(this, n3, t3, r3);
        return i4 ? e3 || f5 : e3;
      }
      return !i4 || f5;
    };
  }
  return f4.__;
}
function A2(n2, u3) {
  var i3 = y2(t2++, 3);
  !a2.__s && E2(i3.__H, u3) && (i3.__P = true, i3.__ = n2, i3.u = u3, r2.__H.__h.push(i3));
}
function F2(n2, u3) {
  var i3 = y2(t2++, 4);
  !a2.__s && E2(i3.__H, u3) && (i3.__P = false, i3.__ = n2, i3.u = u3, r2.__h.push(i3));
}
function T2(n2) {
  return f2 = 5, w2(function() {
    return { current: n2 };
  }, []);
}
function w2(n2, r3) {
  var u3 = y2(t2++, 7);
  return E2(u3.__H, r3) && (u3.__ = n2(), u3.__H = r3), u3.__;
}
function b(n2, t3) {
  return f2 = 8, w2(function() {
    return n2;
  }, t3);
}
function P2() {
  var n2 = y2(t2++, 11);
  if (!n2.__) {
    for (var u3 = r2.__v; !u3.__m && u3.__; ) u3 = u3.__;
    var i3 = u3.__m || (u3.__m = [0, 0]);
    n2.__ = "P" + i3[0] + "-" + i3[1]++;
  }
  return n2.__;
}
function g2() {
  var n2;
  do {
    for (; n2 = e2.shift(); ) try {
      C2(n2);
    } catch (t4) {
      a2.__e(t4, { __: (n2 = n2.__P) && n2.__v });
    }
    for (; n2 = c2.shift(); ) {
      var t3 = n2.__H;
      if (n2.__P && t3) try {
        t3.__h.some(C2), t3.__h.some(D2), t3.__h = [];
      } catch (r3) {
        t3.__h = [], a2.__e(r3, n2.__v);
      }
    }
  } while (e2.length);
}
a2.__b = function(n2) {
  r2 = null, v2 && v2(n2);
}, a2.__ = function(n2, t3) {
  n2 && t3.__k && t3.__k.__m && (n2.__m = t3.__k.__m), p2 && p2(n2, t3);
}, a2.__r = function(n2) {
  l2 && l2(n2), t2 = 0;
  var i3 = (r2 = n2.__c).__H;
  i3 && (u2 == r2 ? r2.__h = [] : (i3.__h.some(C2), i3.__h.some(D2), t2 = 0), i3.__h = [], i3.__.some(function(n3) {
    n3.__N && (n3.__ = n3.__N), n3.u = n3.__N = void 0;
  })), u2 = r2;
}, a2.diffed = function(n2) {
  m2 && m2(n2);
  var t3 = n2.__c;
  t3 && t3.__H && (t3.__H.__h.length && B2(c2.push(t3)), t3.__H.__.some(function(n3) {
    n3.u && (n3.__H = n3.u);
  })), u2 = r2 = null;
}, a2.__c = function(n2, t3) {
  t3.some(function(n3) {
    try {
      n3.__h.some(C2), n3.__h = n3.__h.filter(function(n4) {
        return !n4.__ || D2(n4);
      });
    } catch (t4) {
      n3.__h = [function() {
        throw t4;
      }];
    }
  }), h2 && h2(n2, t3);
}, a2.unmount = function(n2) {
  s2 && s2(n2);
  var t3, r3, u3 = n2.__c;
  u3 && u3.__H && (u3.__H.__.some(function(u4) {
    try {
      if (u4.__P && u4.__c) {
        if (void 0 === r3) {
          for (r3 = n2.__; r3 && (!r3.__c || !r3.__c.__P); ) r3 = r3.__;
          r3 = r3 && r3.__c;
        }
        u4.__P = r3, B2(e2.push(u4));
      } else C2(u4);
    } catch (n3) {
      t3 = n3;
    }
  }), u3.__H = void 0, t3 && a2.__e(t3, u3.__v));
};
var k = "function" == typeof requestAnimationFrame;
function z2(n2) {
  var t3, r3 = function() {
    clearTimeout(u3), k && cancelAnimationFrame(t3), setTimeout(n2);
  }, u3 = setTimeout(r3, 35);
  k && (t3 = requestAnimationFrame(r3));
}
function B2(n2) {
  1 != n2 && i2 == a2.requestAnimationFrame || ((i2 = a2.requestAnimationFrame) || z2)(g2);
}
function C2(n2) {
  var t3 = r2, u3 = n2.__c;
  "function" == typeof u3 && (n2.__c = void 0, u3()), r2 = t3;
}
function D2(n2) {
  var t3 = r2;
  n2.__c = n2.__(), r2 = t3;
}
function E2(n2, t3) {
  return !n2 || n2.length != t3.length || t3.some(function(t4, r3) {
    return !o2(t4, n2[r3]);
  });
}
function G2(n2, t3) {
  return "function" == typeof t3 ? t3(n2) : t3;
}

// src/host.ts
var NoAnswer = class extends Error {
};
var Mistake = class extends NoAnswer {
};
var GONE = "the host does not answer: is `tilewright explore` still running?";
var MISSING = "ask.wasm, which answers, could not be loaded";
var MISTAKE = "this question found a mistake in ask.wasm, which has been started again";
var isModule = document.documentElement.dataset["host"] === "wasm";
var answer = isModule ? byModule : byHttp;
var WHERE = isModule ? "it stays in this page" : "it goes to this machine’s own host alone";
async function byHttp(question) {
  try {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch("ask", { method: "POST", headers, body: question });
    return await response.text();
  } catch {
    throw new NoAnswer(GONE);
  }
}
var compiled;
var running;
async function byModule(question) {
  const answerer = running ??= await started();
  try {
    return answeredBy(answerer, new TextEncoder().encode(question));
  } catch {
    running = void 0;
    throw new Mistake(MISTAKE);
  }
}
function answeredBy(answerer, question) {
  const at2 = answerer.question(question.length);
  new Uint8Array(answerer.memory.buffer, at2, question.length).set(question);
  const start = answerer.ask();
  return new TextDecoder().decode(new Uint8Array(answerer.memory.buffer, start, answerer.answer_len()));
}
async function started() {
  try {
    compiled ??= WebAssembly.compileStreaming(fetch("ask.wasm"));
    return (await WebAssembly.instantiate(await compiled)).exports;
  } catch {
    compiled = void 0;
    throw new NoAnswer(MISSING);
  }
}

// src/json.ts
function parse(text) {
  return JSON.parse(text, (_key, value, context) => {
    const isExact = typeof value !== "number" || Number.isSafeInteger(value);
    return !isExact && context?.source && /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
  });
}
function write(value) {
  const { rawJSON } = JSON;
  return JSON.stringify(value, (_key, part2) => typeof part2 !== "bigint" ? part2 : rawJSON ? rawJSON(String(part2)) : Number(part2));
}
function integer(digits) {
  const near = Number(digits);
  return Number.isSafeInteger(near) ? near : BigInt(digits);
}

// src/ask.ts
async function ask(questions) {
  const all = (message) => questions.map(() => ({ error: { message } }));
  try {
    const reply = parse(await answer(write(questions)));
    if (Array.isArray(reply)) return reply;
    return all(reply?.error?.message ?? "the host gives no answer");
  } catch (error) {
    if (error instanceof Mistake && questions.length > 1) return each(questions);
    return all(error instanceof NoAnswer ? error.message : "the host says what is no answer");
  }
}
async function each(questions) {
  const replies = [];
  for (const question of questions) replies.push(...await ask([question]));
  return replies;
}

// src/spans.ts
var encoder = new TextEncoder();
function bytesBefore(text, position) {
  return encoder.encode(text.slice(0, position)).length;
}
function positionOf(text, bytes2) {
  let position = 0;
  for (let seen = 0; position < text.length && seen < bytes2; ) {
    const sign = String.fromCodePoint(text.codePointAt(position));
    seen += encoder.encode(sign).length;
    position += sign.length;
  }
  return position;
}

// node_modules/preact/jsx-runtime/dist/jsxRuntime.mjs
var f3 = /* @__PURE__ */ Symbol.for("pv");
var o3 = 0;
function a3(t3, e3, n2, u3, a4, i3) {
  e3 || (e3 = {});
  var c3, l3, p3 = e3;
  if ("ref" in p3 && "function" != typeof t3) for (l3 in p3 = {}, e3) "ref" == l3 ? c3 = e3[l3] : p3[l3] = e3[l3];
  var s3 = { type: t3, props: p3, key: n2, ref: c3, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: f3, __v: --o3, __i: -1, __u: 0 };
  return (a4 || i3) && (s3.__source = a4, s3.__self = i3), n.vnode && n.vnode(s3), s3;
}

// src/editor.tsx
function Editor(props) {
  const { text, label, current } = props;
  const id = P2();
  const input = T2(null);
  const paint = T2(null);
  const [asked, setOffered] = d2(null);
  const [chosen, setChosen] = d2(-1);
  const turn = T2(0);
  const error = current ? props.error : null;
  const offered = asked?.of === text ? asked : null;
  const items = offered?.items ?? [];
  const follow = () => {
    if (paint.current && input.current) paint.current.scrollLeft = input.current.scrollLeft;
  };
  F2(follow);
  A2(() => {
    if (chosen >= 0) document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const close = () => {
    turn.current += 1;
    setOffered(null);
    setChosen(-1);
  };
  const offer = async (text2, position) => {
    const mine = ++turn.current;
    const [reply] = await ask([{ ask: "complete", text: text2, cursor: bytesBefore(text2, position) }]);
    if (mine !== turn.current) return;
    const answer2 = reply?.answer;
    setOffered(answer2 && answer2.items.length > 0 ? { ...answer2, of: text2 } : null);
    setChosen(-1);
  };
  const take = (item) => {
    if (!offered) return;
    const start = positionOf(text, offered.span[0]);
    const end = positionOf(text, offered.span[1]);
    const next = text.slice(0, start) + item.text + text.slice(end);
    close();
    props.onType(next);
    props.onEnter(next);
    const at2 = start + item.text.length;
    requestAnimationFrame(() => input.current?.setSelectionRange(at2, at2));
  };
  const point = (event) => {
    const painted2 = [...paint.current?.querySelectorAll("[data-piece]") ?? []];
    const under = painted2.find((part2) => {
      const { left, right } = part2.getBoundingClientRect();
      return left <= event.clientX && event.clientX < right;
    });
    props.onPoint?.(under ? Number(under.dataset["piece"]) : null);
  };
  const onInput = (event) => {
    const field = event.currentTarget;
    props.onType(field.value);
    const position = field.selectionStart ?? field.value.length;
    if (props.completes && position > 0) void offer(field.value, position);
    else close();
  };
  const onKeyDown = (event) => {
    const field = event.currentTarget;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : void 0;
    if (step !== void 0 && props.completes) {
      event.preventDefault();
      if (items.length === 0) void offer(text, field.selectionStart ?? text.length);
      else setChosen((chosen + step + items.length + (chosen < 0 && step < 0 ? 1 : 0)) % items.length);
    } else if (event.key === "Enter" || event.key === "Tab" && chosen >= 0) {
      const item = items[chosen];
      if (item) {
        event.preventDefault();
        take(item);
      } else {
        close();
        props.onEnter(text);
      }
    } else if (event.key === "Escape" && items.length > 0) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  };
  return /* @__PURE__ */ a3("div", { class: "editor", children: [
    /* @__PURE__ */ a3("label", { class: "editor-label", for: id, children: label }),
    /* @__PURE__ */ a3("div", { class: `editor-field${error ? " wrong" : ""}`, children: [
      /* @__PURE__ */ a3("pre", { class: "editor-paint", "aria-hidden": "true", ref: paint, children: painted(text, current ? props.pieces ?? [] : [], error, props.lit ?? []) }),
      /* @__PURE__ */ a3(
        "input",
        {
          id,
          ref: input,
          class: "editor-input",
          value: text,
          placeholder: props.placeholder,
          spellcheck: false,
          autocomplete: "off",
          autocapitalize: "off",
          autocorrect: "off",
          onInput,
          onKeyDown,
          onScroll: follow,
          onBlur: close,
          onPointerMove: point,
          onPointerLeave: () => props.onPoint?.(null),
          "aria-invalid": error ? "true" : "false",
          "aria-errormessage": error ? `${id}-error` : void 0,
          role: props.completes ? "combobox" : void 0,
          "aria-autocomplete": props.completes ? "list" : void 0,
          "aria-expanded": props.completes ? items.length > 0 : void 0,
          "aria-controls": props.completes ? `${id}-list` : void 0,
          "aria-activedescendant": chosen >= 0 ? `${id}-${chosen}` : void 0
        }
      ),
      props.completes && /* @__PURE__ */ a3("ul", { id: `${id}-list`, class: "offers", role: "listbox", "aria-label": `how ${label} could go on`, hidden: items.length === 0, children: items.map((item, n2) => /* @__PURE__ */ a3(
        "li",
        {
          id: `${id}-${n2}`,
          role: "option",
          "aria-selected": n2 === chosen,
          onPointerDown: (event) => {
            event.preventDefault();
            take(item);
          },
          children: [
            /* @__PURE__ */ a3("code", { children: item.text }),
            /* @__PURE__ */ a3("span", { children: item.says })
          ]
        },
        item.text
      )) })
    ] }),
    /* @__PURE__ */ a3("p", { id: `${id}-error`, class: "editor-error", role: "status", hidden: !error, children: error && /* @__PURE__ */ a3($, { children: [
      /* @__PURE__ */ a3("strong", { children: error.message }),
      error.expected && /* @__PURE__ */ a3($, { children: [
        " — expected ",
        error.expected
      ] }),
      error.help && /* @__PURE__ */ a3("span", { class: "help", children: [
        " ",
        error.help
      ] })
    ] }) })
  ] });
}
function pieceClass(piece) {
  return piece.kind === "tile" ? `piece tile-${(piece.level ?? 0) % 3}` : `piece ${piece.kind}`;
}
function painted(text, pieces, error, lit) {
  const span = error?.span;
  const wrong = span ? [positionOf(text, span[0]), positionOf(text, span[1])] : [-1, -1];
  const [from, to] = [wrong[0], Math.max(wrong[1], wrong[0] + 1)];
  const starts = pieces.map((piece) => [positionOf(text, piece.span[0]), positionOf(text, piece.span[1])]);
  const cuts = /* @__PURE__ */ new Set([0, text.length, ...starts.flat()]);
  if (span) cuts.add(Math.min(from, text.length)).add(Math.min(to, text.length));
  const order = [...cuts].sort((a4, b2) => a4 - b2);
  const parts = order.slice(0, -1).map((start, n2) => {
    const end = order[n2 + 1];
    const at2 = starts.findIndex(([a4, b2]) => a4 <= start && end <= b2);
    const piece = pieces[at2];
    const isWrong = span && from <= start && end <= to;
    const names = [piece ? pieceClass(piece) : "", isWrong ? "wavy" : "", piece && lit.includes(piece.span[0]) ? "lit" : ""];
    return /* @__PURE__ */ a3("span", { "data-piece": piece?.span[0], class: names.filter(Boolean).join(" ") || void 0, children: text.slice(start, end) }, start);
  });
  const missing = span && from >= text.length;
  return [...parts, missing ? /* @__PURE__ */ a3("span", { class: "wavy", children: " " }) : null, "​"];
}
function Meaning(props) {
  return /* @__PURE__ */ a3("ul", { class: "meaning", "aria-label": "what its pieces mean", children: props.pieces.map((piece) => {
    const [start, end] = piece.span.map((bytes2) => positionOf(props.text, bytes2));
    return /* @__PURE__ */ a3(
      "li",
      {
        class: props.lit.includes(piece.span[0]) ? "lit" : void 0,
        onPointerEnter: () => props.onPoint(piece.span[0]),
        onPointerLeave: () => props.onPoint(null),
        children: [
          /* @__PURE__ */ a3("code", { class: pieceClass(piece), children: props.text.slice(start, end) }),
          " ",
          piece.says
        ]
      },
      piece.span[0]
    );
  }) });
}

// src/hooks.ts
function useAnswers(questions) {
  const key2 = write(questions);
  const [answered, setAnswered] = d2({
    key: "",
    replies: [],
    turn: 0
  });
  const wanted = T2({ key: key2, questions });
  const busy = T2(false);
  const alive = T2(true);
  wanted.current = { key: key2, questions };
  A2(() => {
    alive.current = true;
    return () => {
      alive.current = false;
    };
  }, []);
  A2(() => {
    if (busy.current || answered.key === key2) return;
    busy.current = true;
    void (async () => {
      for (; ; ) {
        const asked = wanted.current;
        const replies = asked.questions.length === 0 ? [] : await ask(asked.questions);
        if (!alive.current) return;
        setAnswered((before) => ({ key: asked.key, replies, turn: before.turn + 1 }));
        if (wanted.current.key === asked.key) break;
      }
      busy.current = false;
    })();
  }, [key2]);
  return { replies: answered.replies, current: answered.key === key2, turn: answered.turn };
}
function useLastGood(answer2) {
  const last = T2(void 0);
  if (answer2 !== void 0) last.current = answer2;
  return last.current;
}
function useMedia(query) {
  const [matches, setMatches] = d2(() => matchMedia(query).matches);
  A2(() => {
    const list = matchMedia(query);
    const listen = () => setMatches(list.matches);
    list.addEventListener("change", listen);
    return () => list.removeEventListener("change", listen);
  }, [query]);
  return matches;
}
function useTheme() {
  return useMedia("(prefers-color-scheme: dark)") ? "dark" : "light";
}
function useRested(text, rest = 300) {
  const [rested, setRested] = d2("");
  A2(() => {
    const timer = setTimeout(() => setRested(text), rest);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}

// src/picture.tsx
var SVG = "http://www.w3.org/2000/svg";
var LEAST_SCALE = 0.78;
function parsed(svg) {
  const root2 = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  return root2 instanceof SVGSVGElement ? document.importNode(root2, true) : null;
}
function Picture(props) {
  const { drawn: drawn2, lit } = props;
  const frame = T2(null);
  const picture = T2(null);
  const overlay = T2(null);
  const spots = w2(() => drawn2?.spots ?? [], [drawn2]);
  F2(() => {
    const root2 = drawn2 ? parsed(drawn2.svg) : null;
    if (!root2) return;
    root2.querySelector("title")?.remove();
    root2.setAttribute("aria-hidden", "true");
    root2.removeAttribute("role");
    const width = root2.viewBox.baseVal.width;
    root2.style.minWidth = `${LEAST_SCALE * width}px`;
    root2.style.maxWidth = `${width}px`;
    const group = document.createElementNS(SVG, "g");
    group.setAttribute("class", "lit-spots");
    root2.append(group);
    frame.current?.replaceChildren(root2);
    picture.current = root2;
    overlay.current = group;
  }, [drawn2]);
  F2(() => {
    const pointed = props.pointed === null ? void 0 : spots[props.pointed];
    const all = spots.filter((spot) => spot === pointed || lit(spot));
    overlay.current?.replaceChildren(
      ...(props.blocks ?? []).map((block) => outline(block.area, `lit-block level-${block.level % 3}`)),
      ...all.map((spot) => outline(spot.area, spot === pointed ? "lit-spot pointed" : "lit-spot"))
    );
  });
  const spotAt = (event) => {
    const box = picture.current?.getBoundingClientRect();
    if (!box || !picture.current) return null;
    const scale = picture.current.viewBox.baseVal.width / box.width;
    const [x2, y3] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    const at2 = spots.findIndex(({ area: [left, top, width, height] }) => left <= x2 && x2 < left + width && top <= y3 && y3 < top + height);
    return at2 < 0 ? null : at2;
  };
  const onKeyDown = (event) => {
    const next = afterKey(event.key, spots, props.pointed);
    if (next === void 0) {
      if (event.key === "Enter" && props.pointed !== null) props.onKeep(props.pointed);
      return;
    }
    event.preventDefault();
    props.onPoint(next, "key");
    if (next !== null) reveal(frame.current, picture.current, spots[next]);
  };
  return /* @__PURE__ */ a3(
    "div",
    {
      class: `picture${props.stale ? " stale" : ""}`,
      role: "application",
      "aria-roledescription": "picture",
      "aria-label": props.label,
      tabIndex: 0,
      ref: frame,
      onPointerMove: (event) => event.pointerType === "mouse" && props.onPoint(spotAt(event), "pointer"),
      onPointerLeave: (event) => event.pointerType === "mouse" && props.onPoint(null, "pointer"),
      onClick: (event) => props.onKeep(spotAt(event)),
      onKeyDown
    }
  );
}
function holds([left, top, width, height], inner) {
  const [x2, y3] = middle({ area: inner });
  return left <= x2 && x2 <= left + width && top <= y3 && y3 <= top + height;
}
function outline([x2, y3, width, height], name) {
  const box = document.createElementNS(SVG, "rect");
  const values = { x: x2, y: y3, width, height, rx: 4, class: name };
  for (const [name2, value] of Object.entries(values)) box.setAttribute(name2, String(value));
  return box;
}
var DIRECTIONS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1]
};
function afterKey(key2, spots, from) {
  if (key2 === "Escape") return null;
  if (spots.length === 0) return void 0;
  const direction = DIRECTIONS[key2];
  const start = from === null ? void 0 : spots[from];
  if (direction && !start) return 0;
  if (direction && start) return nearest(spots, start, direction) ?? from;
  if (!start) return void 0;
  if (key2 === "Home") return farthest(spots, start, [-1, 0]);
  if (key2 === "End") return farthest(spots, start, [1, 0]);
  if (key2 === "PageUp") return farthest(spots, start, [0, -1]);
  if (key2 === "PageDown") return farthest(spots, start, [0, 1]);
  return void 0;
}
var middle = ({ area: [x2, y3, width, height] }) => [x2 + width / 2, y3 + height / 2];
function nearest(spots, start, [dx, dy]) {
  const [x2, y3] = middle(start);
  let best;
  let least = Infinity;
  spots.forEach((spot, n2) => {
    const [u3, v3] = middle(spot);
    const ahead = (u3 - x2) * dx + (v3 - y3) * dy;
    const aside = Math.abs((u3 - x2) * dy) + Math.abs((v3 - y3) * dx);
    if (ahead < 1 || aside > 2 * ahead + 1) return;
    const far = ahead + 4 * aside;
    if (far < least) [best, least] = [n2, far];
  });
  return best;
}
function farthest(spots, start, direction) {
  const [x2, y3] = middle(start);
  let last = start;
  for (const spot of spots) {
    const [u3, v3] = middle(spot);
    const [a4, b2] = middle(last);
    const aside = direction[0] === 0 ? Math.abs(u3 - x2) : Math.abs(v3 - y3);
    if (aside < 1 && (u3 - a4) * direction[0] + (v3 - b2) * direction[1] > 0) last = spot;
  }
  return spots.indexOf(last);
}
function reveal(frame, picture, spot) {
  if (!frame || !picture) return;
  const scale = picture.getBoundingClientRect().width / picture.viewBox.baseVal.width;
  const [left, top, width, height] = spot.area.map((n2) => n2 * scale);
  const room = 24;
  if (left < frame.scrollLeft + room) frame.scrollLeft = left - room;
  if (left + width > frame.scrollLeft + frame.clientWidth - room) frame.scrollLeft = left + width - frame.clientWidth + room;
  if (top < frame.scrollTop + room) frame.scrollTop = top - room;
  if (top + height > frame.scrollTop + frame.clientHeight - room) frame.scrollTop = top + height - frame.clientHeight + room;
}

// src/algebra.tsx
function AlgebraView({ state, set, onDrawn }) {
  const theme = useTheme();
  const [pointed, setPointed] = d2(null);
  const [wanted, setWanted] = d2("");
  const { replies, current } = useAnswers([
    { ask: "calc", expression: state.x },
    { ask: "explain", expression: state.x },
    { ask: "operations" }
  ]);
  const [calc, explain, operations] = replies;
  const result = useLastGood(calc?.answer?.text);
  const drawing = result === void 0 ? [] : [{ ask: "draw", layout: result, theme }];
  const drawn2 = useAnswers(drawing).replies[0];
  const picture = drawn2?.answer;
  w2(() => onDrawn(picture ?? null), [picture]);
  const spot = pointed === null ? void 0 : picture?.spots[pointed];
  const stale = current && !calc?.answer;
  const spoken = useRested(spot?.says ?? (calc?.answer?.text ?? ""));
  const list = (operations?.answer?.operations ?? []).filter((usage) => usage.includes(wanted.trim()));
  return /* @__PURE__ */ a3("div", { class: "view algebra-view", children: [
    /* @__PURE__ */ a3("div", { class: "top", children: /* @__PURE__ */ a3(
      Editor,
      {
        label: "expression",
        text: state.x,
        onType: (x2) => set({ x: x2 }),
        onEnter: (x2) => set({ x: x2 }, true),
        error: calc?.error,
        current
      }
    ) }),
    /* @__PURE__ */ a3("div", { class: "columns", children: [
      /* @__PURE__ */ a3("div", { class: "main", children: [
        /* @__PURE__ */ a3("section", { class: `card${stale ? " stale" : ""}`, "aria-label": "outcome", children: [
          /* @__PURE__ */ a3("h2", { children: "Outcome" }),
          result !== void 0 && /* @__PURE__ */ a3("p", { class: "outcome mono", children: result }),
          picture && /* @__PURE__ */ a3("button", { type: "button", class: "small-button", onClick: () => set({ view: "layout", l: result, at: "", step: null }, true), children: "open as the layout" })
        ] }),
        explain?.answer && current && /* @__PURE__ */ a3("section", { class: "card", "aria-label": "steps", children: [
          /* @__PURE__ */ a3("h2", { children: "Step by step" }),
          /* @__PURE__ */ a3("ul", { class: "steps", children: explain.answer.steps.map((step, n2) => /* @__PURE__ */ a3("li", { children: step }, n2)) })
        ] }),
        picture && /* @__PURE__ */ a3(
          Picture,
          {
            drawn: picture,
            stale,
            pointed,
            onPoint: (n2) => n2 !== pointed && setPointed(n2),
            onKeep: setPointed,
            lit: ({ offset }) => offset !== null && offset === spot?.offset,
            label: `${picture.title}: ${picture.subtitle}`
          }
        )
      ] }),
      /* @__PURE__ */ a3("aside", { class: "side", children: /* @__PURE__ */ a3("section", { class: "card", "aria-label": "operations", children: [
        /* @__PURE__ */ a3("h2", { children: "Operations" }),
        /* @__PURE__ */ a3(
          "input",
          {
            class: "filter",
            type: "search",
            "aria-label": "find an operation",
            placeholder: "find an operation",
            value: wanted,
            onInput: (event) => setWanted(event.currentTarget.value)
          }
        ),
        /* @__PURE__ */ a3("ul", { class: "operations", children: list.map((usage) => /* @__PURE__ */ a3("li", { children: /* @__PURE__ */ a3("button", { type: "button", class: "open mono", onClick: () => set({ x: usage }, true), children: usage }) }, usage)) })
      ] }) })
    ] }),
    /* @__PURE__ */ a3("p", { class: "unseen", role: "status", "aria-live": "polite", children: spoken })
  ] });
}

// src/state.ts
var VIEWS = ["layout", "compare", "algebra", "tpu", "hlo", "code"];
var LANGUAGES = ["c", "cuda", "opencl", "rust", "python", "triton", "wgsl", "mlir", "cute"];
var UNITS = ["elements", "bytes", "bytes:4", "bytes:16", "bytes:64", "bytes:128"];
var FIRST = {
  view: "layout",
  title: "",
  l: "bf16[30,300]{1,0:T(8,128)(2,1)}",
  b: "bf16[30,300]{1,0:T(16,128)(2,1)}",
  x: "composition((10,2):(16,4),(3,4):(1,5))",
  by: "tile",
  unit: "elements",
  dir: "offsets",
  steps: false,
  step: null,
  moves: false,
  frame: null,
  at: "",
  chip: "v5e",
  lang: "c",
  pair: false
};
var UNREADABLE = /[%&#+\s"<>`]/g;
function readable(value) {
  return value.replace(UNREADABLE, encodeURIComponent);
}
function strict(value) {
  return encodeURIComponent(value).replace(/%(2C|3A|2F)/g, decodeURIComponent);
}
function written(state, encode) {
  const pairs = Object.entries(state).filter(([key2, value]) => value !== FIRST[key2]);
  return pairs.map(([key2, value]) => `${key2}=${encode(value === true ? "1" : String(value))}`).join("&");
}
function fragment(state) {
  return `#${written(state, readable)}`;
}
function link(state) {
  return `${location.origin}${location.pathname}#${written(state, strict)}`;
}
function read(fragment2) {
  const state = { ...FIRST };
  const pairs = fragment2.replace(/^#/, "").split("&");
  const values = new Map(
    pairs.map((pair) => {
      const at2 = pair.indexOf("=");
      return [pair.slice(0, at2), decoded(pair.slice(at2 + 1))];
    })
  );
  for (const key2 of ["title", "l", "b", "x", "by", "at", "chip"]) {
    state[key2] = values.get(key2) ?? state[key2];
  }
  state.view = VIEWS.find((view) => view === values.get("view")) ?? FIRST.view;
  state.unit = UNITS.find((unit) => unit === values.get("unit")) ?? FIRST.unit;
  state.lang = LANGUAGES.find((lang) => lang === values.get("lang")) ?? FIRST.lang;
  state.dir = values.get("dir") === "memory" ? "memory" : "offsets";
  state.steps = values.get("steps") === "1";
  state.pair = values.get("pair") === "1";
  state.moves = values.get("moves") === "1";
  state.step = counted(values.get("step"));
  state.frame = counted(values.get("frame"));
  return state;
}
function counted(value) {
  return value !== void 0 && /^\d{1,9}$/.test(value) ? Number(value) : null;
}
function decoded(value) {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

// src/code.tsx
var CALLED = {
  c: "C",
  cuda: "CUDA",
  opencl: "OpenCL C",
  rust: "Rust",
  python: "Python",
  triton: "Triton",
  wgsl: "WGSL",
  mlir: "MLIR",
  cute: "CuTe"
};
var SAID = 2e3;
function CodeView({ state, set, onDrawn }) {
  const questions = [
    { ask: "emit", lang: state.lang, layout: state.l, ...state.pair && { to: state.b } },
    { ask: "read", text: state.l },
    ...state.pair ? [{ ask: "read", text: state.b }] : []
  ];
  const { replies, current } = useAnswers(questions);
  const [code, one, two] = replies;
  const text = useLastGood(code?.answer?.text);
  const isStale = current && !code?.answer;
  const areTexts = !one?.answer?.error && !two?.answer?.error;
  A2(() => onDrawn(null), []);
  return /* @__PURE__ */ a3("div", { class: "view code-view", children: [
    /* @__PURE__ */ a3("div", { class: `top${state.pair ? " pair" : ""}`, children: [
      /* @__PURE__ */ a3(
        Editor,
        {
          label: "layout",
          text: state.l,
          onType: (l3) => set({ l: l3 }),
          onEnter: (l3) => set({ l: l3 }, true),
          pieces: one?.answer?.pieces ?? [],
          error: one?.answer?.error ?? one?.error,
          current,
          completes: true
        }
      ),
      state.pair && /* @__PURE__ */ a3($, { children: [
        /* @__PURE__ */ a3(
          "button",
          {
            type: "button",
            class: "swap",
            "aria-label": "exchange the two",
            title: "exchange the two",
            onClick: () => set({ l: state.b, b: state.l }, true),
            children: "⇄"
          }
        ),
        /* @__PURE__ */ a3(
          Editor,
          {
            label: "other layout",
            text: state.b,
            onType: (b2) => set({ b: b2 }),
            onEnter: (b2) => set({ b: b2 }, true),
            pieces: two?.answer?.pieces ?? [],
            error: two?.answer?.error ?? two?.error,
            current,
            completes: true
          }
        )
      ] })
    ] }),
    /* @__PURE__ */ a3("section", { class: "main", "aria-label": "code", children: [
      /* @__PURE__ */ a3("div", { class: "toolbar", role: "group", "aria-label": "what is written", children: [
        /* @__PURE__ */ a3("label", { children: [
          "language",
          " ",
          /* @__PURE__ */ a3("select", { value: state.lang, onChange: (event) => set({ lang: event.currentTarget.value }, true), children: LANGUAGES.map((lang) => /* @__PURE__ */ a3("option", { value: lang, children: CALLED[lang] }, lang)) })
        ] }),
        /* @__PURE__ */ a3("label", { class: "check", children: [
          /* @__PURE__ */ a3("input", { type: "checkbox", checked: state.pair, onChange: (event) => set({ pair: event.currentTarget.checked }, true) }),
          " ",
          "relayout to another layout"
        ] }),
        /* @__PURE__ */ a3(Copy, { text: isStale ? void 0 : text })
      ] }),
      code?.error && current && areTexts && /* @__PURE__ */ a3("p", { class: "note wrong-note", role: "status", children: code.error.message }),
      current && code?.notes?.map((note) => /* @__PURE__ */ a3("p", { class: "note", children: note }, note)),
      text !== void 0 && /* @__PURE__ */ a3("pre", { class: `code mono${isStale ? " stale" : ""}`, tabIndex: 0, "aria-label": `${CALLED[state.lang]} code`, children: text })
    ] })
  ] });
}
function Copy({ text }) {
  const [said, setSaid] = d2("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text ?? "");
      setSaid("copied");
    } catch {
      setSaid("the browser lets nobody write to the clipboard");
    }
    setTimeout(() => setSaid(""), SAID);
  };
  return /* @__PURE__ */ a3($, { children: [
    /* @__PURE__ */ a3("button", { type: "button", class: "small-button", disabled: text === void 0, onClick: () => void copy(), children: "copy" }),
    /* @__PURE__ */ a3("span", { class: "soft", role: "status", children: said })
  ] });
}

// src/stepper.tsx
var STAY = 700;
function Stepper(props) {
  const { label, value, count: count2, ready, onChange } = props;
  const group = T2(null);
  const isStill = useMedia("(prefers-reduced-motion: reduce)");
  const [playing, setPlaying] = d2(false);
  const next = value === null ? 0 : value + 1;
  const go = (value2) => {
    setPlaying(false);
    onChange(value2 < 0 ? null : Math.min(value2, count2 - 1));
  };
  useArrowKeys(group, (by) => go(by > 0 ? next : (value ?? 0) - 1));
  A2(() => {
    if (!playing || !ready) return;
    const timer = setTimeout(() => {
      if (next < count2) onChange(next);
      else setPlaying(false);
    }, STAY);
    return () => clearTimeout(timer);
  }, [playing, ready, next, count2]);
  const play = () => {
    if (!playing && next >= count2) onChange(0);
    setPlaying(!playing);
  };
  return /* @__PURE__ */ a3("span", { class: "stepper", role: "group", "aria-label": label, ref: group, children: [
    props.plays && !isStill && /* @__PURE__ */ a3("button", { type: "button", class: "small-button", onClick: play, children: playing ? "pause" : "play" }),
    /* @__PURE__ */ a3("button", { type: "button", class: "small-button", "aria-label": "back", disabled: value === null, onClick: () => go((value ?? 0) - 1), children: "◀" }),
    props.plays && /* @__PURE__ */ a3(
      "input",
      {
        type: "range",
        "aria-label": label,
        min: 0,
        max: count2,
        value: value === null ? 0 : value + 1,
        "aria-valuetext": props.says(value),
        onInput: (event) => go(Number(event.currentTarget.value) - 1)
      }
    ),
    /* @__PURE__ */ a3("button", { type: "button", class: "small-button", "aria-label": "forward", disabled: next >= count2, onClick: () => go(next), children: "▶" }),
    /* @__PURE__ */ a3("span", { class: "stepper-says", role: "status", "aria-live": playing ? "off" : "polite", children: props.says(value) })
  ] });
}
function useArrowKeys(group, onArrow) {
  const latest = T2(onArrow);
  latest.current = onArrow;
  A2(() => {
    const onKey = (event) => {
      const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      const { target } = event;
      const isFree = target === document.body || target instanceof HTMLButtonElement && group.current?.contains(target);
      if (by === 0 || !isFree || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      latest.current(by);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

// src/words.ts
var grouped = new Intl.NumberFormat("en-US", { useGrouping: true });
function count(n2) {
  if (-1e4 < n2 && n2 < 1e4) return String(n2);
  return grouped.format(n2).replaceAll(",", " ");
}
var UNITS2 = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
function bytes(n2) {
  let power = 0;
  let value = Number(n2);
  if (Math.abs(value) < 1 << 20) return `${count(n2)} ${n2 === 1 ? "byte" : "bytes"}`;
  while (Math.abs(value) >= 1024 && power < UNITS2.length - 1) {
    value /= 1024;
    power += 1;
  }
  return `${value.toFixed(value < 10 ? 2 : 1)} ${UNITS2[power]}`;
}
function brief(n2) {
  const power = Math.min(UNITS2.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, n2)) / 10)));
  const value = n2 / 1024 ** power;
  return power === 0 ? `${n2} B` : `${value.toFixed(value < 10 ? 2 : 1)} ${UNITS2[power]}`;
}
function percent(part2, whole) {
  if (Number(whole) === 0 || Number(part2) === 0) return "0 %";
  const share = 100 * Number(part2) / Number(whole);
  return share < 0.05 ? "< 0.1 %" : `${share.toFixed(1)} %`;
}
function counted2(n2, what) {
  return `${count(n2)} ${what}${n2 === 1 ? "" : "s"}`;
}
function index(numbers) {
  return `(${numbers.join(", ")})`;
}

// src/compare.tsx
var BOXES = 8;
function CompareView({ state, set, onDrawn }) {
  const theme = useTheme();
  const [pointed, setPointed] = d2(null);
  const questions = [
    { ask: "read", text: state.l },
    { ask: "read", text: state.b },
    { ask: "same", a: state.l, b: state.b },
    { ask: "bitcast", a: state.l, b: state.b },
    {
      ask: "draw",
      layout: state.l,
      other: state.b,
      color: state.by,
      theme,
      ...state.moves && { moves: true },
      ...state.moves && state.frame !== null && { frame: state.frame }
    },
    { ask: "plan", from: state.l, to: state.b }
  ];
  const { replies, current } = useAnswers(questions);
  const [one, two, same, bitcast, drawn2, plan] = replies;
  const picture = useLastGood(drawn2?.answer);
  w2(() => onDrawn(picture ?? null), [picture]);
  const spot = pointed === null ? void 0 : picture?.spots[pointed];
  const spoken = useRested(spot?.says ?? "");
  const areTexts = !one?.answer?.error && !two?.answer?.error;
  const first = same?.answer?.first_difference;
  const show = () => {
    const n2 = picture?.spots.findIndex(({ index: index2 }) => String(index2) === String(first?.index)) ?? -1;
    if (n2 >= 0) setPointed(n2);
  };
  return /* @__PURE__ */ a3("div", { class: "view compare-view", children: [
    /* @__PURE__ */ a3("div", { class: "top pair", children: [
      /* @__PURE__ */ a3(
        Editor,
        {
          label: "layout",
          text: state.l,
          onType: (l3) => set({ l: l3, frame: null }),
          onEnter: (l3) => set({ l: l3 }, true),
          pieces: one?.answer?.pieces ?? [],
          error: one?.answer?.error ?? one?.error,
          current,
          completes: true
        }
      ),
      /* @__PURE__ */ a3(
        "button",
        {
          type: "button",
          class: "swap",
          "aria-label": "exchange the two",
          title: "exchange the two",
          onClick: () => set({ l: state.b, b: state.l, frame: null }, true),
          children: "⇄"
        }
      ),
      /* @__PURE__ */ a3(
        Editor,
        {
          label: "other layout",
          text: state.b,
          onType: (b2) => set({ b: b2, frame: null }),
          onEnter: (b2) => set({ b: b2 }, true),
          pieces: two?.answer?.pieces ?? [],
          error: two?.answer?.error ?? two?.error,
          current,
          completes: true
        }
      )
    ] }),
    /* @__PURE__ */ a3("div", { class: `verdicts${current && areTexts ? "" : " stale"}`, children: [
      /* @__PURE__ */ a3(Verdict, { name: "same placement", holds: same?.answer?.same, says: same?.answer?.reason ?? same?.error?.message ?? "every element lies at the same offset, in memory of the same size", children: first && /* @__PURE__ */ a3("button", { type: "button", class: "small-button", onClick: show, children: [
        "show ",
        index(first.index)
      ] }) }),
      /* @__PURE__ */ a3(Verdict, { name: "bitcast", holds: bitcast?.answer?.bitcast, says: castWords(bitcast) }),
      /* @__PURE__ */ a3(
        Verdict,
        {
          name: "relayout",
          holds: void 0,
          says: plan?.answer ? `reads ${bytes(plan.answer.bytes_read)}, writes ${bytes(plan.answer.bytes_written)}` : plan?.error?.message ?? ""
        }
      )
    ] }),
    /* @__PURE__ */ a3("section", { class: "main", "aria-label": "picture", children: [
      /* @__PURE__ */ a3("div", { class: "toolbar", role: "group", "aria-label": "how it is drawn", children: [
        /* @__PURE__ */ a3("label", { class: "check", children: [
          /* @__PURE__ */ a3("input", { type: "checkbox", checked: state.moves, onChange: (event) => set({ moves: event.currentTarget.checked, frame: null }, true) }),
          " ",
          "what a relayout moves"
        ] }),
        state.moves && /* @__PURE__ */ a3(Moves, { frames: picture?.frames, frame: state.frame, ready: current && drawn2?.answer !== void 0, onFrame: (frame) => set({ frame }) })
      ] }),
      drawn2?.error && current && areTexts && /* @__PURE__ */ a3("p", { class: "note wrong-note", role: "status", children: drawn2.error.message }),
      /* @__PURE__ */ a3(
        Picture,
        {
          drawn: picture,
          stale: !drawn2?.answer,
          pointed,
          onPoint: (n2) => n2 !== pointed && setPointed(n2),
          onKeep: setPointed,
          lit: (other) => isSame(spot, other),
          label: `${picture?.title ?? "two layouts"}: ${picture?.subtitle ?? ""}`
        }
      )
    ] }),
    plan?.answer && /* @__PURE__ */ a3(PlanTable, { plan: plan.answer }),
    /* @__PURE__ */ a3("p", { class: "sheet", "aria-hidden": "true", children: spot?.says ?? "point at a cell" }),
    /* @__PURE__ */ a3("p", { class: "unseen", role: "status", "aria-live": "polite", children: spoken })
  ] });
}
function Moves({ frames, frame, ready, onFrame }) {
  if (!frames) return null;
  const says = (frame2) => frame2 === null ? `all of ${count(frames)} runs` : `run ${count(frame2 + 1)} of ${count(frames)}`;
  return /* @__PURE__ */ a3(Stepper, { label: "run", value: frame, count: frames, says, ready, plays: true, onChange: onFrame });
}
var isSame = (one, other) => one?.index !== void 0 && one.index.length > 0 && String(one.index) === String(other.index);
function castWords(reply) {
  const answer2 = reply?.answer;
  if (!answer2) return reply?.error?.message ?? "";
  const how = answer2.permutation ? ` by ${index(answer2.permutation)}` : "";
  return answer2.bitcast ? `memory stays as it is: ${answer2.kind}${how}` : answer2.reason ?? "";
}
function Verdict(props) {
  const word = props.holds === void 0 ? "" : props.holds ? "yes" : "no";
  return /* @__PURE__ */ a3("section", { class: `card verdict ${word}`, children: [
    /* @__PURE__ */ a3("h2", { children: [
      props.name,
      " ",
      word && /* @__PURE__ */ a3("span", { class: `badge ${word}`, children: word })
    ] }),
    /* @__PURE__ */ a3("p", { children: [
      props.says,
      " ",
      props.children
    ] })
  ] });
}
function PlanTable({ plan }) {
  const boxes = plan.boxes.slice(0, BOXES);
  return /* @__PURE__ */ a3("section", { class: "card", "aria-label": "plan", children: [
    /* @__PURE__ */ a3("h2", { children: "How it goes" }),
    /* @__PURE__ */ a3("p", { children: [
      plan.route === "copy" ? "copied as it is" : `by ${plan.route}`,
      ", ",
      count(plan.chunks),
      " ",
      plan.chunks === 1 ? "chunk" : "chunks",
      " of",
      " ",
      bytes(plan.chunk_bytes),
      ", ",
      plan.stores,
      " stores",
      plan.padding_slots > 0 && /* @__PURE__ */ a3($, { children: [
        ", ",
        count(plan.padding_slots),
        " places of padding filled"
      ] })
    ] }),
    boxes.length > 0 && /* @__PURE__ */ a3("div", { class: "scrolls", children: /* @__PURE__ */ a3("table", { class: "data", children: [
      /* @__PURE__ */ a3("thead", { children: /* @__PURE__ */ a3("tr", { children: [
        /* @__PURE__ */ a3("th", { class: "number", children: "elements" }),
        /* @__PURE__ */ a3("th", { children: "kernel" }),
        /* @__PURE__ */ a3("th", { class: "number", children: "unit" }),
        /* @__PURE__ */ a3("th", { children: "loops, outermost first" })
      ] }) }),
      /* @__PURE__ */ a3("tbody", { children: boxes.map((box, n2) => /* @__PURE__ */ a3("tr", { children: [
        /* @__PURE__ */ a3("td", { class: "number", children: count(box.elements) }),
        /* @__PURE__ */ a3("td", { children: box.kernel }),
        /* @__PURE__ */ a3("td", { class: "number", children: [
          box.unit_bits,
          " bits"
        ] }),
        /* @__PURE__ */ a3("td", { class: "mono small", children: box.loops.map((loop) => loop.extent).join(" × ") || "none" })
      ] }, n2)) })
    ] }) }),
    plan.boxes.length > BOXES && /* @__PURE__ */ a3("p", { class: "soft", children: [
      "and ",
      count(plan.boxes.length - BOXES),
      " more boxes"
    ] })
  ] });
}

// src/dump.ts
var MAX_BYTES = 64 * 2 ** 20;
function useDumps() {
  const [dump, setDump] = d2(null);
  const [typed2, setTyped] = d2("");
  const [busy, setBusy] = d2(false);
  const [assignment, setAssignment] = d2(null);
  const turn = T2(0);
  const read2 = async (name, text) => {
    const mine = ++turn.current;
    setAssignment(null);
    setBusy(true);
    const [reply] = await ask([{ ask: "hlo", text }]);
    if (mine !== turn.current) return;
    setBusy(false);
    setDump({ name, text, report: reply?.answer ?? null, error: reply?.error?.message ?? null });
  };
  const open = async (file) => {
    if (!file) return;
    setTyped("");
    if (file.size > MAX_BYTES) {
      turn.current += 1;
      setBusy(false);
      setAssignment(null);
      const error = `${file.name} has ${bytes(file.size)}: use \`tilewright hlo\` for it`;
      setDump({ name: file.name, text: "", report: null, error });
      return;
    }
    await read2(file.name, await file.text());
  };
  const type = (text) => {
    setTyped(text);
    if (text.trim() !== "") void read2("the text", text);
  };
  const assign = async () => {
    if (!dump) return;
    const mine = turn.current;
    const [reply] = await ask([{ ask: "assign", text: dump.text }]);
    if (mine === turn.current) setAssignment(reply ?? null);
  };
  return { dump, typed: typed2, busy, goes: WHERE, assignment, type, open, assign };
}
var hasLines = (text) => text.trim().includes("\n");
function useArrivals(arrivals) {
  const [over, setOver] = d2(false);
  const latest = T2(arrivals);
  latest.current = arrivals;
  A2(() => {
    const onDragOver = (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    };
    const onDragLeave = (event) => event.relatedTarget === null && setOver(false);
    const onDrop = (event) => {
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      latest.current.onFile(file);
    };
    const onPaste = (event) => {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      const isField = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA)$/.test(event.target.tagName);
      const isLine = !hasLines(text);
      if (text.trim() === "" || isField && (isLine || event.target instanceof HTMLTextAreaElement)) return;
      event.preventDefault();
      if (isLine) latest.current.onLine(text.trim());
      else latest.current.onDump(text);
    };
    const listeners = { dragover: onDragOver, dragleave: onDragLeave, drop: onDrop, paste: onPaste };
    const all = Object.entries(listeners);
    for (const [name, listener] of all) addEventListener(name, listener);
    return () => {
      for (const [name, listener] of all) removeEventListener(name, listener);
    };
  }, []);
  return over;
}

// src/examples.ts
var layout = (name, says, l3, shows = {}) => ({
  name,
  says,
  shows: { ...FIRST, l: l3, ...shows }
});
var EXAMPLES = [
  layout("Rows", "Without tiles an array lies row after row.", "f32[3,5]{1,0}"),
  layout("Columns", "The order says which dimension lies closest: here the first.", "f32[3,5]{0,1}"),
  layout("Tiles", "Cut into tiles of 2 × 2; what does not fill a tile is padding.", "f32[3,5]{1,0:T(2,2)}", { at: "2,3" }),
  layout("Step by step", "Tiling is to pad, to reshape and to transpose.", "f32[3,5]{1,0:T(2,2)}", { steps: true }),
  layout("Tiles in tiles", "In each tile tiles of 2 × 1: two rows alternate in memory.", "bf16[4,8]{1,0:T(2,4)(2,1)}"),
  layout("A TPU’s 16 bits", "Tiles of 8 × 128, rows in pairs that share a 32-bit word.", "bf16[30,300]{1,0:T(8,128)(2,1)}"),
  layout("A narrow array", "One column of 128: all but a hundredth of memory is padding.", "u32[1024,1]{1,0:T(8,128)}"),
  layout("Bits in bytes", "Two elements of 4 bits share a byte.", "s4[4,8]{1,0:T(4,8)E(4)}", { unit: "bytes" }),
  layout("Tiles across dimensions", "A * lays dimensions together before they are cut.", "f32[2,3,4]{2,1,0:T(*,4)}"),
  layout("Shape and stride", "The same tiles as modes: each part of the shape has its stride.", "((2,2),(2,3)):((2,12),(1,4)):(3,5)"),
  layout("Ascend’s fractals", "zN: fractals of 16 × 16, one column of them after another.", "f16 ((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)"),
  layout("A swizzle and its banks", "Without it a column is in one bank; with it in all of them.", "f32 Sw<3,0,3> o 0 o (8,8):(8,1)", { by: "bank:8x4" }),
  layout("Channels in blocks", "oneDNN’s aBcd16b: 16 channels lie side by side.", "f32[1,20,2,2] aBcd16b"),
  {
    name: "Two formats compared",
    says: "Taller tiles pad more: what differs, and how the one becomes the other.",
    shows: { ...FIRST, view: "compare", l: "f32[10,6]{1,0:T(2,4)}", b: "f32[10,6]{1,0:T(4,2)}" }
  },
  {
    name: "What a relayout moves",
    says: "Runs of elements that lie side by side before and after, one after another.",
    shows: { ...FIRST, view: "compare", l: "f32[4,4]", b: "f32[4,4]{1,0:T(2,2)}", moves: true }
  },
  {
    name: "The algebra",
    says: "A layout after another one, step by step.",
    shows: { ...FIRST, view: "algebra", x: "logical_divide((4,2,3):(2,1,8),4:2)" }
  }
];
var MODULE = `HloModule example, entry_computation_layout={(f32[1024,1]{1,0:T(8,128)})->f32[1,1024]{1,0:T(1,128)}}

ENTRY main {
  column = f32[1024,1]{1,0:T(8,128)} parameter(0)
  copied = f32[1024,1]{0,1:T(1,128)} copy(column)
  ROOT row = f32[1,1024]{1,0:T(1,128)} bitcast(copied)
}
`;

// src/export.ts
function save(blob, name) {
  const link2 = document.createElement("a");
  link2.href = URL.createObjectURL(blob);
  link2.download = name;
  link2.click();
  setTimeout(() => URL.revokeObjectURL(link2.href), 6e4);
}
function fileName(title, ending) {
  const name = title.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60);
  return `${name || "layout"}.${ending}`;
}
var asBlob = (svg) => new Blob([svg], { type: "image/svg+xml" });
function saveSvg(svg, title) {
  save(asBlob(svg), fileName(title, "svg"));
}
async function savePng(svg, title) {
  const image = new Image();
  const url = URL.createObjectURL(asBlob(svg));
  try {
    image.src = url;
    await image.decode();
    const scale = Math.min(2, 8192 / image.naturalWidth, 8192 / image.naturalHeight);
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(image.naturalWidth * scale);
    canvas.height = Math.round(image.naturalHeight * scale);
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
    if (blob) save(blob, fileName(title, "png"));
  } finally {
    URL.revokeObjectURL(url);
  }
}

// src/header.tsx
var NAMES = { layout: "Layout", compare: "Compare", algebra: "Algebra", tpu: "TPU", hlo: "HLO", code: "Code" };
var KEYS = [
  ["/", "to the layout"],
  ["↓ ↑", "in the layout: how it could go on"],
  ["Enter", "keep it as a step that “back” returns to"],
  ["arrows", "in the picture: from cell to cell"],
  ["Home End", "to the ends of a row"],
  ["Page ↑ ↓", "to the ends of a column"],
  ["Enter, click", "keep the place in the link"],
  ["Esc", "let go of it"],
  ["← →", "outside of the picture: the step, or the run that moves"],
  ["1 … 6", "the views"],
  ["?", "these keys"]
];
function Header({ state, set, drawn: drawn2, onTitle, onKeys }) {
  const [said, setSaid] = d2("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link(state));
      setSaid("link copied");
    } catch {
      setSaid("the address has it");
    }
    setTimeout(() => setSaid(""), 2e3);
  };
  return /* @__PURE__ */ a3("header", { children: [
    /* @__PURE__ */ a3("h1", { children: "Tilewright" }),
    /* @__PURE__ */ a3(Tabs, { view: state.view, onChoose: (view) => set({ view }, true) }),
    /* @__PURE__ */ a3("div", { class: "tools", children: [
      /* @__PURE__ */ a3(Examples, { onChoose: (shows) => set(shows, true) }),
      /* @__PURE__ */ a3("span", { class: "said", role: "status", children: said }),
      /* @__PURE__ */ a3(Tool, { title: "give what is shown a title", onClick: onTitle, children: "title" }),
      /* @__PURE__ */ a3(Tool, { title: "copy a link to what is shown", onClick: () => void copy(), children: "link" }),
      /* @__PURE__ */ a3(Tool, { title: "save the picture as SVG", disabled: !drawn2, onClick: () => drawn2 && saveSvg(drawn2.svg, drawn2.title), children: "SVG" }),
      /* @__PURE__ */ a3(Tool, { title: "save the picture as PNG", disabled: !drawn2, onClick: () => drawn2 && void savePng(drawn2.svg, drawn2.title), children: "PNG" }),
      /* @__PURE__ */ a3("button", { type: "button", "aria-label": "keys", title: "keys", onClick: onKeys, children: "?" })
    ] })
  ] });
}
function Tool(props) {
  return /* @__PURE__ */ a3("button", { type: "button", title: props.title, disabled: props.disabled, onClick: props.onClick, children: props.children });
}
function Tabs({ view, onChoose }) {
  const go = (from, step) => {
    const next = VIEWS[(VIEWS.indexOf(from) + step + VIEWS.length) % VIEWS.length];
    onChoose(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return /* @__PURE__ */ a3("div", { class: "tabs", role: "tablist", "aria-label": "views", children: VIEWS.map((each2) => /* @__PURE__ */ a3(
    "button",
    {
      type: "button",
      id: `tab-${each2}`,
      role: "tab",
      "aria-selected": each2 === view,
      "aria-controls": "view",
      tabIndex: each2 === view ? 0 : -1,
      onClick: () => onChoose(each2),
      onKeyDown: (event) => {
        if (event.key === "ArrowRight") go(each2, 1);
        if (event.key === "ArrowLeft") go(each2, -1);
      },
      children: NAMES[each2]
    },
    each2
  )) });
}
function Examples({ onChoose }) {
  const menu = T2(null);
  const close = () => {
    if (menu.current) menu.current.open = false;
  };
  A2(() => {
    const outside = (event) => {
      if (event.target instanceof Node && !menu.current?.contains(event.target)) close();
    };
    addEventListener("pointerdown", outside);
    return () => removeEventListener("pointerdown", outside);
  }, []);
  return /* @__PURE__ */ a3("details", { class: "examples", ref: menu, onKeyDown: (event) => {
    if (event.key !== "Escape") return;
    close();
    menu.current?.querySelector("summary")?.focus();
  }, children: [
    /* @__PURE__ */ a3("summary", { children: "examples" }),
    /* @__PURE__ */ a3("ul", { children: EXAMPLES.map((example) => /* @__PURE__ */ a3("li", { children: /* @__PURE__ */ a3("button", { type: "button", onClick: () => {
      close();
      onChoose(example.shows);
    }, children: [
      /* @__PURE__ */ a3("strong", { children: example.name }),
      /* @__PURE__ */ a3("span", { children: example.says })
    ] }) }, example.name)) })
  ] });
}
function Keys({ dialog }) {
  const close = () => dialog.current?.close();
  return /* @__PURE__ */ a3("dialog", { ref: dialog, "aria-label": "keys", onClick: (event) => event.target === dialog.current && close(), children: [
    /* @__PURE__ */ a3("h2", { children: "Keys" }),
    /* @__PURE__ */ a3("dl", { children: KEYS.map(([key2, says]) => /* @__PURE__ */ a3("div", { children: [
      /* @__PURE__ */ a3("dt", { children: /* @__PURE__ */ a3("kbd", { children: key2 }) }),
      /* @__PURE__ */ a3("dd", { children: says })
    ] }, says)) }),
    /* @__PURE__ */ a3("button", { type: "button", class: "small-button", onClick: close, children: "close" })
  ] });
}

// src/rows.tsx
var ROWS = 50;
function LayoutButton({ text, onOpen }) {
  if (text === void 0) return null;
  return /* @__PURE__ */ a3("button", { type: "button", class: "open mono", onClick: () => onOpen(text), children: text });
}
function Rows({ head, rows, chosen = -1 }) {
  const [shown, setShown] = d2(ROWS);
  const all = Math.max(shown, chosen + 1);
  const right = head.map((title) => title.startsWith("#") ? "number" : title === "data" ? "bar" : void 0);
  return /* @__PURE__ */ a3($, { children: [
    /* @__PURE__ */ a3("div", { class: "scrolls", children: /* @__PURE__ */ a3("table", { class: "data", children: [
      /* @__PURE__ */ a3("thead", { children: /* @__PURE__ */ a3("tr", { children: head.map((title, n2) => /* @__PURE__ */ a3("th", { class: right[n2], children: title.replace("#", "") }, title)) }) }),
      /* @__PURE__ */ a3("tbody", { children: rows.slice(0, all).map((row, n2) => /* @__PURE__ */ a3("tr", { class: n2 === chosen ? "chosen" : void 0, "aria-current": n2 === chosen ? true : void 0, children: row.map((cell, m3) => /* @__PURE__ */ a3("td", { class: right[m3], children: cell }, m3)) }, n2)) })
    ] }) }),
    all < rows.length && /* @__PURE__ */ a3("button", { type: "button", class: "small-button", onClick: () => setShown(all * 4), children: "more" })
  ] });
}

// src/place.tsx
function placeWords(place) {
  const where = place.index ? index(place.index) : "";
  if (place.offset === null) return `${where} lies nowhere`;
  const byte = place.byte === null ? "" : `, byte ${place.byte}`;
  return `${where} → offset ${place.offset}${byte}${place.padding ? ", padding" : ""}`;
}
function PlaceCard({ place, says, layout: layout2, onGo }) {
  return /* @__PURE__ */ a3("section", { class: "card place", "aria-label": "place", children: [
    /* @__PURE__ */ a3("h2", { children: [
      "Place ",
      place?.index && /* @__PURE__ */ a3("span", { class: "mono", children: index(place.index) }),
      place?.padding && /* @__PURE__ */ a3("span", { class: "badge hatched", children: "padding" })
    ] }),
    place ? /* @__PURE__ */ a3(Where, { place }) : /* @__PURE__ */ a3("p", { class: "soft", children: says ?? "Point at a cell, or go from cell to cell with the arrow keys. A click keeps the place in the link." }),
    place && /* @__PURE__ */ a3(Sum, { place }),
    /* @__PURE__ */ a3(GoToByte, { layout: layout2, onGo })
  ] });
}
function Where({ place }) {
  return /* @__PURE__ */ a3("dl", { children: [
    place.levels.length > 1 && place.levels.map((level, n2) => /* @__PURE__ */ a3("div", { children: [
      /* @__PURE__ */ a3("dt", { children: n2 === place.levels.length - 1 ? "in it" : `tile of ${level.sizes.join(" × ")}` }),
      /* @__PURE__ */ a3("dd", { children: index(level.coordinate) })
    ] }, n2)),
    /* @__PURE__ */ a3(Row, { name: "offset", value: place.offset }),
    /* @__PURE__ */ a3(Row, { name: "byte", value: place.byte }),
    place.element_bits !== null && place.element_bits % 8 !== 0 && /* @__PURE__ */ a3(Row, { name: "bit", value: place.bit })
  ] });
}
function Sum({ place }) {
  if (place.terms.length === 0) return place.sum ? /* @__PURE__ */ a3("p", { class: "mono small", children: place.sum }) : null;
  return /* @__PURE__ */ a3("table", { class: "sum", children: [
    /* @__PURE__ */ a3("caption", { children: "the offset is the sum of" }),
    /* @__PURE__ */ a3("tbody", { children: place.terms.map((term) => /* @__PURE__ */ a3("tr", { children: [
      /* @__PURE__ */ a3("td", { children: term.text }),
      /* @__PURE__ */ a3("td", { children: count(term.value) })
    ] }, term.text)) }),
    /* @__PURE__ */ a3("tfoot", { children: /* @__PURE__ */ a3("tr", { children: [
      /* @__PURE__ */ a3("td", {}),
      /* @__PURE__ */ a3("td", { children: place.offset === null ? "" : count(place.offset) })
    ] }) })
  ] });
}
function Row({ name, value }) {
  if (value === null) return null;
  return /* @__PURE__ */ a3("div", { children: [
    /* @__PURE__ */ a3("dt", { children: name }),
    /* @__PURE__ */ a3("dd", { children: count(value) })
  ] });
}
function GoToByte({ layout: layout2, onGo }) {
  const [typed2, setTyped] = d2("");
  const [said, setSaid] = d2("");
  const turn = T2(0);
  const reset = () => {
    turn.current += 1;
    setTyped("");
    setSaid("");
  };
  A2(reset, [layout2]);
  const go = async (text) => {
    setTyped(text);
    const mine = ++turn.current;
    const digits = text.replace(/[\s_]/g, "");
    const found = /^\d{1,19}$/.test(digits) ? await atByte(layout2, integer(digits)) : { says: text && "a byte is a number" };
    if (mine !== turn.current) return;
    setSaid(found.says);
    if ("at" in found) onGo(found.at);
  };
  return /* @__PURE__ */ a3("div", { class: "go", children: [
    /* @__PURE__ */ a3("label", { children: [
      "go to byte",
      " ",
      /* @__PURE__ */ a3("input", { inputMode: "numeric", size: 12, value: typed2, onInput: (event) => void go(event.currentTarget.value) })
    ] }),
    /* @__PURE__ */ a3("p", { class: "small soft", role: "status", children: said })
  ] });
}
async function atByte(layout2, byte) {
  const [reply] = await ask([{ ask: "place", layout: layout2, byte }]);
  const place = reply?.answer;
  if (!place) return { says: reply?.error?.message ?? "" };
  const at2 = place.index?.join(",");
  const whose = place.index ? index(place.index) : "no index";
  const says = place.padding ? `padding: ${whose} is beyond the array` : `${part(place, byte)}${whose}`;
  return at2 === void 0 ? { says } : { says, at: at2 };
}
function part({ byte: start, element_bits: bits }, byte) {
  if (start === null || bits === null || bits <= 8) return "";
  return `byte ${Number(BigInt(byte) - BigInt(start)) + 1} of the ${bits / 8} of `;
}

// src/sizes.tsx
var NOTATIONS = [
  ["xla", "XLA"],
  ["tla", "shape : stride : original"],
  ["cute", "shape : stride"],
  ["onednn", "oneDNN"],
  ["numpy", "numpy"],
  ["mlir", "MLIR"]
];
function Sizes({ shown, stale }) {
  if (!shown) return null;
  const { bytes: all, logical_bytes: data, padding_bytes: padding } = shown;
  return /* @__PURE__ */ a3("section", { class: `card sizes${stale ? " stale" : ""}`, "aria-label": "sizes", children: [
    /* @__PURE__ */ a3("h2", { children: "Sizes" }),
    all !== null && data !== null && padding !== null && /* @__PURE__ */ a3($, { children: [
      /* @__PURE__ */ a3(Share, { data, all }),
      /* @__PURE__ */ a3("p", { children: [
        /* @__PURE__ */ a3("strong", { children: bytes(all) }),
        ": ",
        bytes(data),
        " of data, ",
        bytes(padding),
        " of padding (",
        percent(padding, all),
        ")"
      ] })
    ] }),
    /* @__PURE__ */ a3("dl", { children: [
      /* @__PURE__ */ a3(Row, { name: "elements", value: shown.elements }),
      /* @__PURE__ */ a3(Row, { name: "room for", value: shown.allocation_elements }),
      shown.physical_dims && /* @__PURE__ */ a3("div", { children: [
        /* @__PURE__ */ a3("dt", { children: "physical dims" }),
        /* @__PURE__ */ a3("dd", { children: shown.physical_dims.join(" × ") })
      ] }),
      shown.xla_bytes !== null && shown.xla_bytes !== all && /* @__PURE__ */ a3(Row, { name: "bytes by XLA’s count", value: shown.xla_bytes })
    ] }),
    shown.index_expression && /* @__PURE__ */ a3("p", { class: "mono small expression", children: shown.index_expression }),
    shown.leaves?.map((leaf, n2) => /* @__PURE__ */ a3("p", { class: "mono small", children: [
      leaf.text,
      leaf.bytes !== null && `: ${bytes(leaf.bytes)}`
    ] }, n2))
  ] });
}
function Share({ data, all }) {
  const share = Number(all) === 0 ? 0 : Math.max(0, Math.min(1, Number(data) / Number(all)));
  return /* @__PURE__ */ a3("svg", { class: "share", viewBox: "0 0 100 6", preserveAspectRatio: "none", role: "img", "aria-label": `${percent(data, all)} data`, children: [
    /* @__PURE__ */ a3("rect", { class: "share-padding", width: "100", height: "6" }),
    /* @__PURE__ */ a3("rect", { class: "share-data", width: 100 * share, height: "6" })
  ] });
}
function Written({ written: written2, stale, current, onOpen }) {
  if (!written2) return null;
  return /* @__PURE__ */ a3("section", { class: `card written${stale ? " stale" : ""}`, "aria-label": "other notations", children: [
    /* @__PURE__ */ a3("h2", { children: "Also written" }),
    /* @__PURE__ */ a3("dl", { children: NOTATIONS.map(([notation, name], n2) => {
      const reply = written2.notations[n2];
      const text = reply?.answer?.text;
      const whole = text && typed(notation, text, written2.of);
      return /* @__PURE__ */ a3("div", { children: [
        /* @__PURE__ */ a3("dt", { children: name }),
        /* @__PURE__ */ a3("dd", { children: whole && whole !== current ? /* @__PURE__ */ a3("button", { type: "button", class: "open mono", title: "open as the layout", onClick: () => onOpen(whole), children: text }) : text ? /* @__PURE__ */ a3("span", { class: "mono", children: text }) : /* @__PURE__ */ a3("span", { class: "soft", children: reply?.error?.message }) })
      ] }, notation);
    }) })
  ] });
}
function typed(notation, text, { element_type: type, dims }) {
  if (notation === "xla") return text;
  if (notation === "tla" || notation === "cute") return type ? `${type} ${text.replace(`${type} `, "")}` : text;
  return notation === "onednn" && type && dims ? `${type}[${dims.join(",")}] ${text}` : null;
}

// ../../tilewright-hlo/src/page/groups.js
var WAYS = [
  ["buffer", "buffer"],
  ["source", "source line"],
  ["op", "op"],
  ["layer", "layer"]
];
var NOWHERE = { buffer: "no name", source: "no source line", op: "no op", layer: "no layer" };
var key = (buffer, by) => by === "buffer" ? buffer.name : buffer[by];
function grouped2(lives, by, peak) {
  const all = /* @__PURE__ */ new Map();
  for (const life of lives) {
    const of = key(life.buffer, by);
    const known2 = all.get(of);
    if (known2) known2.push(life);
    else all.set(of, [life]);
  }
  const groups = [...all].map(([of, its]) => ({
    key: of,
    label: of === "" ? NOWHERE[by] : of,
    lives: its,
    most: Math.max(...sums(its).map(([, bytes2]) => bytes2)),
    atPeak: at(its, peak)
  }));
  return groups.sort((a4, b2) => b2.atPeak - a4.atPeak || b2.most - a4.most);
}
var at = (lives, time) => lives.reduce((sum, { from, to, buffer }) => sum + (from <= time && time <= to ? buffer.bytes : 0), 0);
function sums(lives) {
  const changes = /* @__PURE__ */ new Map();
  for (const { from, to, buffer } of lives) {
    changes.set(from, (changes.get(from) ?? 0) + buffer.bytes);
    changes.set(to + 1, (changes.get(to + 1) ?? 0) - buffer.bytes);
  }
  let sum = 0;
  return [...changes].sort(([a4], [b2]) => a4 - b2).map(([time, change]) => [time, sum += change]);
}

// ../../tilewright-hlo/src/page/chart.js
var SVG2 = "http://www.w3.org/2000/svg";
var WIDTH = 1e3;
var HEIGHT = 200;
var COLORS = 8;
var LANES = 16;
var NAMED = 12;
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}
function pressed(text, isPath) {
  const attributes = { type: "button", class: isPath ? "tw-name tw-path" : "tw-name" };
  return element("button", attributes, isPath ? element("bdi", {}, text) : text);
}
function drawn(name, attributes, ...children) {
  const made = document.createElementNS(SVG2, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}
function chart(root2, timeline, { size, onPick }) {
  const { n: n2, steps, peak, lives } = timeline;
  const columns = columnsOf(timeline);
  const top = Math.max(1, ...columns.map(({ sum }) => sum));
  const plot = drawn("svg", {
    class: "tw-plot",
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: "none",
    tabindex: "0",
    role: "slider",
    "aria-label": `${timeline.space} over the schedule`,
    "aria-valuemin": "0",
    "aria-valuemax": String(n2 - 1)
  });
  const here = element("div", { class: "tw-here", "aria-hidden": "true" });
  const lanes = element("div", { class: "tw-lanes" });
  const axis = element("div", { class: "tw-axis", "aria-hidden": "true" }, element("span", {}, size(top)), element("span", {}, "0"));
  const now = element("div", { class: "tw-now", role: "group", "aria-label": `alive in ${timeline.space}` });
  root2.replaceChildren(element("div", { class: "tw-plots" }, axis, plot, lanes, here), now);
  let by = "buffer";
  let groups = [];
  let lit;
  let nLanes = LANES;
  let time = peak;
  let isPinned = false;
  function point(moment2) {
    time = Math.max(0, Math.min(n2 - 1, Math.round(moment2)));
    here.style.setProperty("--tw-at", String((time + 0.5) / n2));
    here.hidden = time === peak && !isPinned;
    const sum = sumAt(steps, time);
    const alive = groups.map((group) => ({ group, bytes: at(group.lives, time) })).filter(({ bytes: bytes2 }) => bytes2 > 0);
    alive.sort((a4, b2) => b2.bytes - a4.bytes);
    const named = alive.slice(0, NAMED);
    const unnamed = sum - named.reduce((all, { bytes: bytes2 }) => all + bytes2, 0);
    const where = time === peak ? `the peak, at ${timeline.at}` : `instruction ${time} of ${n2}`;
    const words = `${size(sum)}: ${where}`;
    plot.setAttribute("aria-valuenow", String(time));
    plot.setAttribute("aria-valuetext", words);
    const rows = named.map(({ group, bytes: bytes2 }) => {
      const name = pressed(group.label, isPath());
      name.title = said(group);
      name.addEventListener("click", () => onPick(group, by));
      return element("li", {}, swatch(group), element("span", { class: "tw-size" }, size(bytes2)), name);
    });
    if (unnamed > 0) rows.push(element("li", { class: "tw-soft" }, swatch(void 0), element("span", { class: "tw-size" }, size(unnamed)), "in others"));
    now.replaceChildren(
      element("p", { title: words }, element("b", {}, size(sum)), ` ${where}`),
      element("ul", {}, ...rows),
      element("p", { class: "tw-soft" }, isPinned ? "kept until you click again" : "click to keep a moment")
    );
  }
  const isPath = () => by === "source" || by === "layer";
  function swatch(group) {
    return element("i", { class: `tw-swatch ${group ? colorOf(groups.indexOf(group)) : "tw-others"}` });
  }
  const said = (group) => by === "buffer" ? whole(group) : `${group.label}
${counted3(group.lives.length)}, at most ${size(group.most)} at once`;
  function whole({ lives: [first], label }) {
    if (!first) return label;
    const { buffer, from, to } = first;
    const lines = [label, `${size(buffer.bytes)}  ${buffer.text}`, buffer.op, buffer.layer, buffer.source, `instructions ${from} to ${to}`];
    return lines.filter((line) => line !== "").join("\n");
  }
  function lane(group) {
    const label = pressed(group.label, isPath());
    const most = groups.reduce((all, other) => Math.max(all, other.most), 1);
    const path = drawn("path", { d: area(group, n2, most), class: colorOf(groups.indexOf(group)) });
    const band = drawn("svg", { class: "tw-band", viewBox: `0 0 ${WIDTH} 10`, preserveAspectRatio: "none" }, path);
    band.setAttribute("aria-hidden", "true");
    const row = element("div", { class: group === lit ? "tw-lane tw-lit" : "tw-lane", title: said(group) }, label, element("span", { class: "tw-size" }, size(group.most)));
    row.append(band);
    row.addEventListener("click", () => onPick(group, by));
    return row;
  }
  function drawLanes() {
    const shown = groups.slice(0, nLanes);
    if (lit && !shown.includes(lit)) shown.unshift(lit);
    lanes.replaceChildren(...shown.map(lane));
    const left = groups.length - shown.length;
    if (left <= 0) return;
    const more = element("button", { type: "button", class: "tw-more" }, `more of ${groups.length}`);
    more.addEventListener("click", () => {
      nLanes *= 4;
      drawLanes();
    });
    lanes.append(more);
  }
  function moment(clientX) {
    const box = plot.getBoundingClientRect();
    const column = Math.floor((clientX - box.left) / box.width * columns.length);
    return columns[Math.max(0, Math.min(columns.length - 1, column))]?.time ?? 0;
  }
  plot.addEventListener("pointermove", (event) => isPinned || point(moment(event.clientX)));
  plot.addEventListener("pointerleave", () => isPinned || point(peak));
  plot.addEventListener("click", (event) => {
    isPinned = !isPinned;
    point(moment(event.clientX));
  });
  plot.addEventListener("keydown", (event) => {
    const next = steps.find(([from]) => from > time)?.[0];
    const before = steps.findLast(([from]) => from < time)?.[0];
    const to = { ArrowRight: next, ArrowLeft: before, Home: 0, End: n2 - 1, Escape: peak }[event.key];
    if (to === void 0) return;
    event.preventDefault();
    isPinned = event.key !== "Escape";
    point(to);
  });
  return {
    show(way, matches) {
      if (way !== by) lit = void 0;
      by = way;
      const name = lit?.key;
      groups = grouped2(lives.filter(({ buffer }) => matches(buffer)), by, peak);
      lit = groups.find((group) => group.key === name);
      plot.replaceChildren(...stacked(columns, groups, n2, top), mark(peak, n2));
      drawLanes();
      now.style.minHeight = `${1.7 * (Math.min(NAMED, groups.length) + 4)}em`;
      point(time);
    },
    light(name) {
      lit = groups.find((group) => group.key === name);
      drawLanes();
      if (lit) root2.scrollIntoView({ block: "nearest" });
      return lit !== void 0;
    }
  };
}
var counted3 = (n2) => `${n2} ${n2 === 1 ? "buffer" : "buffers"}`;
var colorOf = (number) => number >= 0 && number < COLORS ? `tw-color-${number}` : "tw-no-color";
function mark(peak, n2) {
  const x2 = String((peak + 0.5) / n2 * WIDTH);
  return drawn("line", { class: "tw-peak", x1: x2, x2, y1: "0", y2: String(HEIGHT) });
}
function sumAt(steps, time) {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle2 = low + high >> 1;
    if ((steps[middle2]?.[0] ?? 0) <= time) low = middle2 + 1;
    else high = middle2;
  }
  return steps[low - 1]?.[1] ?? 0;
}
function columnsOf({ n: n2, steps, peak }) {
  const count2 = Math.min(n2, WIDTH);
  const first = (column) => Math.ceil(column * n2 / count2);
  const columns = Array.from({ length: count2 }, (_3, column) => ({ time: first(column), sum: 0 }));
  steps.forEach(([time, sum], number) => {
    const end = Math.min(n2, steps[number + 1]?.[0] ?? n2);
    for (let column = Math.floor(time * count2 / n2); column < count2 && first(column) < end; column += 1) {
      const known2 = columns[column];
      if (known2 && sum > known2.sum) columns[column] = { time: Math.max(time, first(column)), sum };
    }
  });
  columns[Math.floor(peak * count2 / n2)] = { time: peak, sum: sumAt(steps, peak) };
  return columns;
}
function stacked(columns, groups, n2, top) {
  const floor = columns.map(() => 0);
  const y3 = (bytes2) => (HEIGHT * (1 - bytes2 / top)).toFixed(2);
  const x2 = (column) => (column / columns.length * WIDTH).toFixed(2);
  const layerOf = (ceiling, color) => {
    let there = "";
    let back = "";
    let last = "";
    ceiling.forEach((bytes2, column) => {
      const step = `${y3(bytes2)} ${y3(floor[column] ?? 0)}`;
      if (step === last) return;
      last = step;
      there += `H${x2(column)}V${y3(bytes2)}`;
      back = `V${y3(floor[column] ?? 0)}H${x2(column)}${back}`;
    });
    ceiling.forEach((bytes2, column) => floor[column] = bytes2);
    return drawn("path", { class: color, d: `M0 ${HEIGHT}${there}H${WIDTH}${back}Z` });
  };
  const paths = groups.slice(0, COLORS).map((group, number) => {
    const own = columns.map(() => 0);
    for (const { from, to, buffer } of group.lives) {
      const begin = Math.floor(from * columns.length / n2);
      for (let column = begin; column < columns.length; column += 1) {
        const time = columns[column]?.time ?? 0;
        if (time > to) break;
        if (time >= from) own[column] = (own[column] ?? 0) + buffer.bytes;
      }
    }
    return layerOf(own.map((bytes2, column) => bytes2 + (floor[column] ?? 0)), colorOf(number));
  });
  paths.push(layerOf(columns.map(({ sum }, column) => Math.max(sum, floor[column] ?? 0)), "tw-others"));
  return paths.reverse();
}
function area(group, n2, most) {
  const x2 = (time) => (time / n2 * WIDTH).toFixed(2);
  const steps = sums(group.lives);
  const boxes = steps.map(([time, bytes2], number) => {
    const end = steps[number + 1]?.[0] ?? n2;
    return bytes2 > 0 ? `M${x2(time)} 10V${(8 - 8 * bytes2 / most).toFixed(2)}H${x2(end)}V10Z` : "";
  });
  return boxes.join("");
}

// src/timeline.tsx
var isLarge = (timeline) => !timeline.space.startsWith("S(");
var known = (alive) => ({
  name: alive.name,
  text: alive.text,
  bytes: Number(alive.bytes),
  op: alive.op,
  source: alive.source ?? "",
  layer: alive.layer ?? ""
});
function Timelines({ report, onOpen }) {
  const [by, setBy] = d2("buffer");
  const spaces = (report.timeline ?? []).filter(isLarge);
  if (spaces.length === 0) return null;
  return /* @__PURE__ */ a3($, { children: [
    /* @__PURE__ */ a3("p", { class: "row", children: [
      /* @__PURE__ */ a3("label", { class: "soft", for: "group-by", children: "group by" }),
      /* @__PURE__ */ a3("select", { id: "group-by", value: by, onChange: (event) => setBy(event.currentTarget.value), children: WAYS.map(([way, name]) => /* @__PURE__ */ a3("option", { value: way, children: name }, way)) })
    ] }),
    spaces.map((timeline) => {
      const peak = report.peak?.find(({ space }) => space === timeline.space);
      return peak && /* @__PURE__ */ a3(Space, { timeline, peak, by, setBy, onOpen }, timeline.space);
    })
  ] });
}
function Space({ timeline, peak, by, setBy, onOpen }) {
  const place = T2(null);
  const drawn2 = T2(null);
  const [only, setOnly] = d2(null);
  const [lit, setLit] = d2("");
  const isShown = (buffer) => only === null || key(buffer, only.by) === only.key;
  A2(() => {
    const steps = timeline.steps.map(([time, sum]) => [time, Number(sum)]);
    const highest = steps.reduce((most, step) => step[1] > most[1] ? step : most, [0, 0]);
    const lives = timeline.lives.map(({ from, to, ...alive }) => ({ from, to, buffer: known(alive) }));
    const of = { space: timeline.space, n: Math.max(1, timeline.instructions), steps, peak: highest[0], at: peak.at, lives };
    drawn2.current = chart(place.current, of, {
      size: brief,
      onPick: (group, way) => {
        if (way !== "buffer") {
          setOnly({ by: way, key: group.key });
          setBy("buffer");
          return;
        }
        drawn2.current?.light(group.key);
        setLit(group.key);
      }
    });
    setOnly(null);
    setLit("");
  }, [timeline, peak]);
  A2(() => drawn2.current?.show(by, isShown), [timeline, peak, by, only]);
  const light = (name) => {
    if (drawn2.current?.light(name)) setLit(name);
  };
  const shown = w2(() => peak.alive.map((alive) => ({ alive, buffer: known(alive) })).filter(({ buffer }) => isShown(buffer)), [peak, only]);
  const hasLife = w2(() => new Set(timeline.lives.map(({ name }) => name)), [timeline]);
  return /* @__PURE__ */ a3("section", { class: "card space", "aria-label": `${timeline.space} over the schedule`, children: [
    /* @__PURE__ */ a3("h2", { children: [
      timeline.space,
      ": ",
      bytes(peak.bytes),
      " of temporaries at the peak ",
      /* @__PURE__ */ a3("span", { class: "soft", children: [
        "at ",
        peak.at
      ] }),
      only && /* @__PURE__ */ a3("button", { type: "button", class: "small-button", onClick: () => setOnly(null), children: [
        "only ",
        only.key || `no ${only.by}`,
        " ×"
      ] })
    ] }),
    /* @__PURE__ */ a3("div", { ref: place, class: "tw-chart" }),
    /* @__PURE__ */ a3("h2", { children: [
      "Alive at the peak ",
      /* @__PURE__ */ a3("span", { class: "soft", children: counted2(shown.length, "buffer") })
    ] }),
    by === "buffer" ? /* @__PURE__ */ a3(Rows, { head: ["name", "layout", "#takes", "#padding", "op", "source", "layer"], chosen: shown.findIndex(({ buffer }) => buffer.name === lit), rows: shown.map(({ alive, buffer }) => [
      hasLife.has(buffer.name) ? /* @__PURE__ */ a3("button", { type: "button", class: "open mono small", onClick: () => light(buffer.name), children: buffer.name }) : /* @__PURE__ */ a3("span", { class: "mono small", children: buffer.name }),
      /* @__PURE__ */ a3(LayoutButton, { text: buffer.text, onOpen }),
      bytes(alive.bytes),
      percent(alive.padding_bytes, alive.bytes),
      ...[buffer.op, buffer.source, buffer.layer].map((text) => /* @__PURE__ */ a3("span", { class: "small whole", children: text }))
    ]) }) : /* @__PURE__ */ a3(Rows, { head: [by, "#takes", "#buffers"], rows: grouped2(shown.map(({ buffer }) => ({ from: 0, to: 0, buffer })), by, 0).map((group) => [
      /* @__PURE__ */ a3("button", { type: "button", class: "open", onClick: () => {
        setOnly({ by, key: group.key });
        setBy("buffer");
      }, children: group.label }),
      bytes(group.atPeak),
      group.lives.length
    ]) })
  ] });
}

// src/hlo.tsx
function HloView({ set, onDrawn, dumps }) {
  w2(() => onDrawn(null), []);
  const file = T2(null);
  const { dump } = dumps;
  const report = dump?.report;
  const openLayout = (l3) => set({ view: "layout", l: l3, at: "", step: null }, true);
  const state = dumps.busy ? "reading …" : report ? report.module ?? dump.name : dumps.goes;
  return /* @__PURE__ */ a3("div", { class: "view hlo-view", children: [
    /* @__PURE__ */ a3("div", { class: "top", children: [
      /* @__PURE__ */ a3("label", { class: "editor-label", for: "dump", children: "HLO text, or an out-of-memory report of XLA" }),
      /* @__PURE__ */ a3(
        "textarea",
        {
          id: "dump",
          class: "dump",
          rows: report ? 3 : 9,
          spellcheck: false,
          value: dumps.typed,
          placeholder: "paste it here, or drop a file anywhere",
          onInput: (event) => dumps.type(event.currentTarget.value)
        }
      ),
      /* @__PURE__ */ a3("p", { class: "row", children: [
        /* @__PURE__ */ a3("button", { type: "button", class: "small-button", onClick: () => file.current?.click(), children: "open a file" }),
        /* @__PURE__ */ a3("input", { ref: file, type: "file", class: "unseen", tabIndex: -1, "aria-label": "file", onChange: (event) => void dumps.open(event.currentTarget.files?.[0]) }),
        /* @__PURE__ */ a3("button", { type: "button", class: "small-button", onClick: () => dumps.type(MODULE), children: "a small example" }),
        /* @__PURE__ */ a3("span", { class: "soft", role: "status", children: state })
      ] }),
      dump?.error && /* @__PURE__ */ a3("p", { class: "note wrong-note", role: "status", children: dump.error })
    ] }),
    report && /* @__PURE__ */ a3(ReportView, { report, onOpen: openLayout }),
    dump?.report?.module && dump.report.totals.parameters.count > 0 && /* @__PURE__ */ a3(AssignmentView, { dumps, onOpen: openLayout }, dump.name)
  ] });
}
function AssignmentView({ dumps, onOpen }) {
  const { assignment } = dumps;
  const list = assignment?.answer;
  return /* @__PURE__ */ a3("section", { class: "card", "aria-label": "formats of the parameters", children: [
    /* @__PURE__ */ a3("h2", { children: "Formats of the parameters" }),
    !list && /* @__PURE__ */ a3("p", { class: "soft", children: "In which formats the parameters would pad less and be moved less." }),
    !list && /* @__PURE__ */ a3("button", { type: "button", class: "small-button", onClick: () => void dumps.assign(), children: "find them" }),
    assignment?.error && /* @__PURE__ */ a3("p", { class: "note wrong-note", role: "status", children: assignment.error.message }),
    list && /* @__PURE__ */ a3("p", { children: [
      bytes(list.totals.module.bytes),
      " of parameters and ",
      bytes(list.totals.module.moved_bytes),
      " moved become",
      " ",
      bytes(list.totals.best.bytes),
      " and ",
      bytes(list.totals.best.moved_bytes)
    ] }),
    list && /* @__PURE__ */ a3(Rows, { head: ["name", "in the module", "#takes", "#moves", "best", "#takes ", "#moves "], rows: list.parameters.map(({ name, module, best }) => [
      /* @__PURE__ */ a3("span", { class: "mono small", children: name }),
      /* @__PURE__ */ a3(LayoutButton, { text: module.text, onOpen }),
      bytes(module.bytes),
      bytes(module.moved_bytes),
      module.text === best.text ? /* @__PURE__ */ a3("span", { class: "soft", children: "the same" }) : /* @__PURE__ */ a3(LayoutButton, { text: best.text, onOpen }),
      bytes(best.bytes),
      bytes(best.moved_bytes)
    ]) })
  ] });
}
function ReportView({ report, onOpen }) {
  const { totals } = report;
  const layout2 = (text) => /* @__PURE__ */ a3(LayoutButton, { text, onOpen });
  return /* @__PURE__ */ a3($, { children: [
    /* @__PURE__ */ a3("div", { class: "verdicts", children: [
      report.out_of_memory && /* @__PURE__ */ a3(Total, { name: `out of ${report.out_of_memory.memory}`, value: report.out_of_memory.used, says: `of ${report.out_of_memory.capacity}` }),
      [["parameters", totals.parameters], ["outputs", totals.outputs], ["buffers", totals.buffers]].map(([name, size]) => /* @__PURE__ */ a3(Total, { name, value: bytes(size.bytes), says: `${counted2(size.count, "array")}, ${percent(size.padding_bytes, size.bytes)} padding`, children: /* @__PURE__ */ a3(Share, { data: size.logical_bytes, all: size.bytes }) }, name)),
      /* @__PURE__ */ a3(Total, { name: "relayouts", value: bytes(totals.relayouts.bytes_written), says: `written by ${counted2(totals.relayouts.count, "move")} into another format` }),
      /* @__PURE__ */ a3(Total, { name: "bitcasts", value: `${count(totals.bitcasts.confirmed)} of ${count(totals.bitcasts.count)}`, says: "are what they claim to be" })
    ] }),
    /* @__PURE__ */ a3(Timelines, { report, onOpen }),
    /* @__PURE__ */ a3(Table, { name: "Buffers, by padding", head: ["name", "layout", "#takes", "#padding", "data", "#line"], rows: report.buffers.map((buffer) => [
      /* @__PURE__ */ a3("span", { class: "mono small", children: buffer.name }),
      layout2(buffer.text),
      bytes(buffer.bytes),
      `${bytes(buffer.padding_bytes)} (${percent(buffer.padding_bytes, buffer.bytes)})`,
      /* @__PURE__ */ a3(Share, { data: buffer.logical_bytes, all: buffer.bytes }),
      buffer.line
    ]) }),
    [["Copies that change the format", report.relayouts], ["Copies that keep it", report.copies]].map(([name, moves]) => /* @__PURE__ */ a3(Table, { name, head: ["name", "from", "to", "#writes", "by", "#line"], rows: moves.map((move) => [
      /* @__PURE__ */ a3("span", { class: "mono small", children: move.name }),
      layout2(move.from),
      layout2(move.to),
      bytes(move.bytes_written),
      move.kind,
      move.line
    ]) }, name)),
    /* @__PURE__ */ a3(Table, { name: "Bitcasts", head: ["name", "from", "to", "holds", "how, or why not", "#line"], rows: report.bitcasts.map((cast) => [
      /* @__PURE__ */ a3("span", { class: "mono small", children: cast.name }),
      layout2(cast.from),
      layout2(cast.to),
      /* @__PURE__ */ a3("span", { class: `badge ${cast.holds === null ? "" : cast.holds ? "yes" : "no"}`, children: cast.holds === null ? "undecided" : cast.holds ? "yes" : "no" }),
      cast.kind ?? cast.reason,
      cast.line
    ]) })
  ] });
}
function Total(props) {
  return /* @__PURE__ */ a3("section", { class: "card total", children: [
    /* @__PURE__ */ a3("h2", { children: props.name }),
    /* @__PURE__ */ a3("p", { class: "value", children: props.value }),
    props.children,
    /* @__PURE__ */ a3("p", { class: "soft", children: props.says })
  ] });
}
function Table({ name, head, rows }) {
  if (rows.length === 0) return null;
  return /* @__PURE__ */ a3("section", { class: "card", "aria-label": name, children: [
    /* @__PURE__ */ a3("h2", { children: [
      name,
      " ",
      /* @__PURE__ */ a3("span", { class: "soft", children: count(rows.length) })
    ] }),
    /* @__PURE__ */ a3(Rows, { head, rows })
  ] });
}

// src/toolbar.tsx
var COLORINGS = [
  ["tile", "tile"],
  ["dim", "dimension"],
  ["offset:8", "offset mod 8"],
  ["line", "line of 64 bytes"],
  ["bank", "bank"],
  ["thread", "thread"]
];
function Toolbar({ state, set, drawn: drawn2, ready }) {
  const own = COLORINGS.some(([value]) => value === state.by);
  return /* @__PURE__ */ a3("div", { class: "toolbar", role: "group", "aria-label": "how it is drawn", children: [
    /* @__PURE__ */ a3("label", { children: [
      "colour",
      " ",
      /* @__PURE__ */ a3("select", { value: state.by, onChange: (event) => set({ by: event.currentTarget.value }, true), children: [
        COLORINGS.map(([value, name]) => /* @__PURE__ */ a3("option", { value, children: name }, value)),
        !own && /* @__PURE__ */ a3("option", { value: state.by, children: state.by })
      ] })
    ] }),
    /* @__PURE__ */ a3("label", { children: [
      "count in",
      " ",
      /* @__PURE__ */ a3("select", { value: state.unit, onChange: (event) => set({ unit: event.currentTarget.value }, true), children: UNITS.map((unit) => /* @__PURE__ */ a3("option", { value: unit, children: unitName(unit) }, unit)) })
    ] }),
    /* @__PURE__ */ a3(
      Choice,
      {
        label: "from",
        value: state.dir,
        values: ["offsets", "memory"],
        names: { offsets: "index to offset", memory: "memory to index" },
        onChoose: (dir) => set({ dir }, true)
      }
    ),
    /* @__PURE__ */ a3("label", { class: "check", children: [
      /* @__PURE__ */ a3("input", { type: "checkbox", checked: state.steps, onChange: (event) => set({ steps: event.currentTarget.checked, step: null }, true) }),
      " ",
      "step by step"
    ] }),
    state.steps && /* @__PURE__ */ a3(Steps, { steps: drawn2?.steps, step: state.step, ready, onStep: (step) => set({ step }) })
  ] });
}
function unitName(unit) {
  const size = unit.split(":")[1];
  return size ? `${size}-byte blocks` : unit;
}
function Steps({ steps, step, ready, onStep }) {
  if (!steps || steps.length === 0) return null;
  const says = (step2) => step2 === null ? `all ${steps.length} steps` : `${step2 + 1} of ${steps.length}: ${steps[step2] ?? ""}`;
  return /* @__PURE__ */ a3(Stepper, { label: "step", value: step, count: steps.length, says, ready, onChange: onStep });
}
function Choice(props) {
  return /* @__PURE__ */ a3("span", { class: "choice", role: "group", "aria-label": props.label, children: props.values.map((value) => /* @__PURE__ */ a3("button", { type: "button", "aria-pressed": value === props.value, onClick: () => props.onChoose(value), children: props.names[value] }, value)) });
}

// src/layout.tsx
function LayoutView({ state, set, onDrawn }) {
  const [pointed, setPointed] = d2(null);
  const [litPiece, setLitPiece] = d2(null);
  const [brought, setBrought] = d2(null);
  const { read: read2, drawn: drawn2, current, isWrong, ...good } = useLayout(state, brought);
  const { picture } = good;
  w2(() => onDrawn(picture ?? null), [picture]);
  const pieces = current ? read2?.answer?.pieces ?? [] : [];
  const spot = pointed === null ? void 0 : picture?.spots[pointed];
  const layout2 = useLastGood(current && drawn2?.answer ? state.l : void 0) ?? state.l;
  const kept = keptIndex(state.at);
  const { place, known: known2 } = usePlace(layout2, spot, isWrong ? null : kept);
  const at2 = place?.answer;
  const spoken = useRested(at2 ? placeWords(at2) : spot?.says ?? "");
  const isOut = current && known2 && !spot && !state.steps && isLeftOut(at2, picture);
  A2(() => {
    if (isOut && kept) setBrought({ layout: state.l, index: kept });
  }, [isOut, state.at]);
  const lighting = lights(pieces, picture?.blocks ?? [], litPiece, spot);
  const open = (l3, enter) => {
    setPointed(null);
    set({ l: l3, at: "", step: null }, enter);
  };
  const keep = (n2) => {
    const offset = n2 === null ? null : picture?.spots[n2]?.offset;
    setPointed(n2);
    if (n2 === null) set({ at: "" });
    else if (offset != null && at2?.offset === offset && at2.index) set({ at: at2.index.join(",") }, true);
  };
  return /* @__PURE__ */ a3("div", { class: "view layout-view", children: [
    /* @__PURE__ */ a3("div", { class: "top", children: [
      /* @__PURE__ */ a3(
        Editor,
        {
          label: "layout",
          text: state.l,
          onType: (l3) => open(l3, false),
          onEnter: (l3) => set({ l: l3 }, true),
          pieces,
          error: read2?.answer?.error ?? read2?.error,
          current,
          completes: true,
          lit: lighting.pieces,
          onPoint: setLitPiece,
          placeholder: FIRST.l
        }
      ),
      current && /* @__PURE__ */ a3(Meaning, { text: state.l, pieces, lit: lighting.pieces, onPoint: setLitPiece }),
      current && read2?.answer?.warnings.map((warning) => /* @__PURE__ */ a3("p", { class: "note", children: warning }, warning))
    ] }),
    /* @__PURE__ */ a3("div", { class: "columns", children: [
      /* @__PURE__ */ a3("section", { class: "main", "aria-label": "picture", children: [
        /* @__PURE__ */ a3(Toolbar, { state, set, drawn: picture, ready: current && !isWrong }),
        drawn2?.error && !read2?.answer?.error && current && /* @__PURE__ */ a3("p", { class: "note wrong-note", role: "status", children: drawn2.error.message }),
        /* @__PURE__ */ a3(
          Picture,
          {
            drawn: picture,
            stale: isWrong,
            pointed,
            onPoint: (n2) => n2 !== pointed && setPointed(n2),
            onKeep: keep,
            lit: ({ offset }) => offset !== null && offset === (at2?.offset ?? spot?.offset),
            blocks: lighting.blocks,
            label: `${picture?.title ?? "layout"}: ${picture?.subtitle ?? ""}. Arrow keys go from cell to cell`
          }
        )
      ] }),
      /* @__PURE__ */ a3("aside", { class: "side", children: [
        /* @__PURE__ */ a3(PlaceCard, { place: at2, says: spot?.says ?? (kept ? place?.error?.message : void 0), layout: layout2, onGo: (at3) => {
          setPointed(null);
          set({ at: at3 });
        } }),
        /* @__PURE__ */ a3(Sizes, { shown: good.shown, stale: isWrong }),
        /* @__PURE__ */ a3(Written, { written: good.written, stale: isWrong, current: state.l, onOpen: (l3) => open(l3, true) })
      ] })
    ] }),
    /* @__PURE__ */ a3("p", { class: "sheet", "aria-hidden": "true", children: at2 ? placeWords(at2) : "point at a cell" }),
    /* @__PURE__ */ a3("p", { class: "unseen", role: "status", "aria-live": "polite", children: spoken })
  ] });
}
function useLayout(state, brought) {
  const { l: layout2 } = state;
  const questions = [
    { ask: "read", text: layout2 },
    useDrawing(state, brought),
    { ask: "show", layout: layout2 },
    ...NOTATIONS.map(([notation]) => ({ ask: "to", notation, layout: layout2 }))
  ];
  const { replies, current, turn } = useAnswers(questions);
  const [read2, drawn2, shown, ...notations] = replies;
  return {
    read: read2,
    drawn: drawn2,
    current,
    isWrong: turn > 0 && !drawn2?.answer,
    picture: useLastGood(drawn2?.answer),
    shown: useLastGood(shown?.answer),
    written: useLastGood(shown?.answer ? { notations, of: shown.answer } : void 0)
  };
}
function useDrawing(state, brought) {
  const theme = useTheme();
  const columns = useColumns();
  return {
    ask: "draw",
    layout: state.l,
    color: state.by,
    unit: state.unit,
    direction: state.dir,
    theme,
    columns,
    ...state.steps && { steps: true },
    ...state.steps && state.step !== null && { step: state.step },
    ...!state.steps && brought?.layout === state.l && { near: brought.index }
  };
}
function usePlace(layout2, spot, kept) {
  const asked = spot?.offset != null ? [{ ask: "place", layout: layout2, offset: spot.offset }] : spot === void 0 && kept ? [{ ask: "place", layout: layout2, index: kept }] : [];
  const { replies, current } = useAnswers(asked);
  const place = asked.length > 0 ? replies[0] : void 0;
  return { place, known: current };
}
function isLeftOut(place, picture) {
  if (!place || place.padding || !picture) return false;
  return picture.spots.every(({ offset }) => offset !== place.offset);
}
function useColumns() {
  const isNarrow = useMedia("(max-width: 600px)");
  const isWide = useMedia("(min-width: 1500px)");
  return isNarrow ? 10 : isWide ? null : 18;
}
function keptIndex(at2) {
  return /^\d{1,19}(,\d{1,19})*$/.test(at2) ? at2.split(",").map(integer) : null;
}
function lights(pieces, blocks, piece, spot) {
  const said = pieces.find(({ span }) => span[0] === piece);
  if (said) {
    const lit2 = said.kind === "tile" ? blocks.filter(({ level }) => level === said.level) : [];
    return { pieces: [said.span[0]], blocks: lit2 };
  }
  const around = spot ? blocks.filter(({ area: area2 }) => holds(area2, spot.area)) : [];
  const levels = new Set(around.map(({ level }) => level));
  const lit = pieces.filter(({ kind, level }) => kind === "tile" && levels.has(level));
  return { pieces: lit.map(({ span }) => span[0]), blocks: around };
}

// src/title.tsx
function Title({ title, open, onType, onLeave }) {
  const field = T2(null);
  const [focused, setFocused] = d2(false);
  F2(() => {
    if (open) field.current?.focus();
  }, [open]);
  if (!open && !focused && title === "") return null;
  return /* @__PURE__ */ a3("h2", { class: "title", children: /* @__PURE__ */ a3(
    "input",
    {
      ref: field,
      "aria-label": "title",
      placeholder: "a title",
      maxLength: 200,
      value: title,
      onInput: (event) => onType(event.currentTarget.value),
      onFocus: () => setFocused(true),
      onBlur: () => {
        setFocused(false);
        onLeave();
      },
      onKeyDown: (event) => (event.key === "Enter" || event.key === "Escape") && event.currentTarget.blur()
    }
  ) });
}

// src/tpu.tsx
function TpuView({ state, set, onDrawn }) {
  w2(() => onDrawn(null), []);
  const questions = [
    { ask: "read", text: state.l },
    { ask: "show", layout: state.l },
    { ask: "tpu", shape: state.l },
    { ask: "formats", shape: state.l, chip: state.chip }
  ];
  const { replies, current } = useAnswers(questions);
  const [read2, shown, tpu, formats] = replies;
  const good = useLastGood(tpu?.answer && shown?.answer ? { tpu: tpu.answer, shown: shown.answer } : void 0);
  const list = useLastGood(formats?.answer);
  const stale = current && !tpu?.answer ? " stale" : "";
  const open = (l3) => set({ view: "layout", l: l3, at: "", step: null }, true);
  return /* @__PURE__ */ a3("div", { class: "view tpu-view", children: [
    /* @__PURE__ */ a3("div", { class: "top", children: [
      /* @__PURE__ */ a3(
        Editor,
        {
          label: "array",
          text: state.l,
          onType: (l3) => set({ l: l3 }),
          onEnter: (l3) => set({ l: l3 }, true),
          pieces: read2?.answer?.pieces ?? [],
          error: read2?.answer?.error ?? read2?.error,
          current,
          completes: true
        }
      ),
      current && !read2?.answer?.error && tpu?.error && /* @__PURE__ */ a3("p", { class: "note wrong-note", role: "status", children: tpu.error.message })
    ] }),
    good && /* @__PURE__ */ a3("section", { class: `card${stale}`, "aria-label": "generations", children: [
      /* @__PURE__ */ a3("h2", { children: "What each generation’s compiler gives it" }),
      /* @__PURE__ */ a3("div", { class: "scrolls", children: /* @__PURE__ */ a3("table", { class: "data", children: [
        /* @__PURE__ */ a3("thead", { children: /* @__PURE__ */ a3("tr", { children: [
          /* @__PURE__ */ a3("th", { children: "TPU" }),
          /* @__PURE__ */ a3("th", { children: "format" }),
          /* @__PURE__ */ a3("th", { class: "number", children: "on the device" }),
          /* @__PURE__ */ a3("th", { class: "number", children: "padding" }),
          /* @__PURE__ */ a3("th", { class: "bar", children: "data" })
        ] }) }),
        /* @__PURE__ */ a3("tbody", { children: good.tpu.map((on) => {
          const data = good.shown.logical_bytes ?? on.bytes;
          return /* @__PURE__ */ a3("tr", { class: on.chip === state.chip ? "chosen" : void 0, children: [
            /* @__PURE__ */ a3("td", { children: /* @__PURE__ */ a3("button", { type: "button", class: "chip", "aria-pressed": on.chip === state.chip, onClick: () => set({ chip: on.chip }, true), children: on.chip }) }),
            /* @__PURE__ */ a3("td", { children: /* @__PURE__ */ a3("button", { type: "button", class: "open mono", onClick: () => open(on.text), children: on.text }) }),
            /* @__PURE__ */ a3("td", { class: "number", children: bytes(on.bytes) }),
            /* @__PURE__ */ a3("td", { class: "number", children: percent(Number(on.bytes) - Number(data), on.bytes) }),
            /* @__PURE__ */ a3("td", { class: "bar", children: /* @__PURE__ */ a3(Share, { data, all: on.bytes }) })
          ] }, on.chip);
        }) })
      ] }) })
    ] }),
    formats?.error && current && tpu?.answer && /* @__PURE__ */ a3("p", { class: "note wrong-note", role: "status", children: formats.error.message }),
    list && /* @__PURE__ */ a3("section", { class: `card${stale}`, "aria-label": "formats", children: [
      /* @__PURE__ */ a3("h2", { children: [
        "What it could be on ",
        state.chip,
        ", the best first"
      ] }),
      /* @__PURE__ */ a3("div", { class: "scrolls", children: /* @__PURE__ */ a3("table", { class: "data", children: [
        /* @__PURE__ */ a3("thead", { children: /* @__PURE__ */ a3("tr", { children: [
          /* @__PURE__ */ a3("th", { children: "format" }),
          /* @__PURE__ */ a3("th", { class: "number", children: "takes" }),
          /* @__PURE__ */ a3("th", { class: "number", children: "padding" }),
          /* @__PURE__ */ a3("th", { class: "number", children: "a relayout moves" }),
          /* @__PURE__ */ a3("th", { children: "what the tile pads" })
        ] }) }),
        /* @__PURE__ */ a3("tbody", { children: list.map((format) => /* @__PURE__ */ a3("tr", { children: [
          /* @__PURE__ */ a3("td", { children: /* @__PURE__ */ a3("button", { type: "button", class: "open mono", onClick: () => open(format.text), children: format.text }) }),
          /* @__PURE__ */ a3("td", { class: "number", children: bytes(format.bytes) }),
          /* @__PURE__ */ a3("td", { class: "number", children: percent(format.padding_bytes, format.bytes) }),
          /* @__PURE__ */ a3("td", { class: "number", children: format.bitcast ? "nothing" : bytes(format.moves_bytes) }),
          /* @__PURE__ */ a3("td", { class: "reason", children: format.reason })
        ] }, format.text)) })
      ] }) })
    ] })
  ] });
}

// src/main.tsx
function Page() {
  const [state, set] = useAddress();
  const [drawn2, setDrawn] = d2(null);
  const [titled, setTitled] = d2(false);
  const dumps = useDumps();
  const keys = T2(null);
  const over = useArrivals({
    onFile: (file) => {
      set({ view: "hlo" }, true);
      void dumps.open(file);
    },
    onDump: (text) => {
      set({ view: "hlo" }, true);
      dumps.type(text);
    },
    onLine: (text) => set(state.view === "algebra" ? { x: text } : { ...state.view === "hlo" && { view: "layout" }, l: text, at: "", step: null, frame: null }, true)
  });
  useKeys(set, () => keys.current?.showModal());
  A2(() => {
    const what = state.title || (state.view === "layout" ? state.l : NAMES[state.view]);
    document.title = `${what} · Tilewright`;
  }, [state]);
  const props = { state, set, onDrawn: setDrawn };
  return /* @__PURE__ */ a3($, { children: [
    /* @__PURE__ */ a3(Header, { state, set, drawn: drawn2, onTitle: () => setTitled(true), onKeys: () => keys.current?.showModal() }),
    /* @__PURE__ */ a3("main", { class: over ? "over" : void 0, children: [
      /* @__PURE__ */ a3(Title, { title: state.title, open: titled, onType: (title) => set({ title }), onLeave: () => setTitled(false) }),
      /* @__PURE__ */ a3("div", { id: "view", role: "tabpanel", "aria-labelledby": `tab-${state.view}`, children: [
        state.view === "layout" && /* @__PURE__ */ a3(LayoutView, { ...props }),
        state.view === "compare" && /* @__PURE__ */ a3(CompareView, { ...props }),
        state.view === "algebra" && /* @__PURE__ */ a3(AlgebraView, { ...props }),
        state.view === "tpu" && /* @__PURE__ */ a3(TpuView, { ...props }),
        state.view === "code" && /* @__PURE__ */ a3(CodeView, { ...props }),
        state.view === "hlo" && /* @__PURE__ */ a3(HloView, { ...props, dumps })
      ] })
    ] }),
    /* @__PURE__ */ a3(Keys, { dialog: keys })
  ] });
}
function useAddress() {
  const [state, setState] = d2(() => read(location.hash));
  const latest = T2(state);
  latest.current = state;
  const set = b((change, enter = false) => {
    const next = { ...latest.current, ...change };
    latest.current = next;
    setState(next);
    const address = fragment(next);
    const entered = history.state;
    if (!enter || entered === address) {
      history.replaceState(entered, "", address);
      return;
    }
    if (typeof entered === "string") history.replaceState(entered, "", entered);
    history.pushState(address, "", address);
  }, []);
  A2(() => {
    history.replaceState(fragment(latest.current), "", location.hash || "#");
    const back = () => setState(latest.current = read(location.hash));
    addEventListener("popstate", back);
    addEventListener("hashchange", back);
    return () => {
      removeEventListener("popstate", back);
      removeEventListener("hashchange", back);
    };
  }, []);
  return [state, set];
}
function useKeys(set, onHelp) {
  A2(() => {
    const onKey = (event) => {
      const isTyping = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (isTyping || document.querySelector("dialog[open]") || event.ctrlKey || event.metaKey || event.altKey) return;
      const view = VIEWS[Number(event.key) - 1];
      if (event.key === "/") {
        event.preventDefault();
        document.querySelector(".editor-input, .dump")?.focus();
      } else if (event.key === "?") onHelp();
      else if (view) set({ view }, true);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
var root = document.getElementById("explorer");
if (root) Q(/* @__PURE__ */ a3(Page, {}), root);
