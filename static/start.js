// start.js - marks which question the address asks before anything is drawn; the style sheet hides the
// others. Without JavaScript all four forms are shown.
document.documentElement.dataset.question = location.pathname.slice(1) || 'start';
