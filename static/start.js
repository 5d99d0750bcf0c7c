// start.js - marks which question the address asks, before anything is drawn; the style sheet hides
// the other two. Without it (no JavaScript) all three forms are shown.
document.documentElement.dataset.question = location.pathname.slice(1) || 'start';
