// What HTML can't do by itself: copy exact bytes, keys, scrolling, the document
// window. Every state comes from the server; nothing here makes DOM out of text.
// Handlers are delegated, because streamed parts carry no behaviour (DEC5).
(() => {
  'use strict';
  const $ = (selector, from = document) => from.querySelector(selector);
  const on = (type, handle, capture) => document.addEventListener(type, handle, capture);
  const make = (tag, text, attributes = {}) => {
    const element = document.createElement(tag);
    element.textContent = text;
    for (const name in attributes) element.setAttribute(name, attributes[name]);
    return element;
  };
  const lastQuestion = () => [...document.querySelectorAll('.msg.user')].pop()?.scrollIntoView({ block: 'start' });
  document.documentElement.classList.add('js');

  htmx.registerExtension('bor', {
    // Part of a stream's message: its place is looked for when its turn comes, and
    // may come with a part before it.
    htmx_process_part: (part, { ctx, tasks }) => {
      tasks.push({ type: 'partial', fragment: part.content, target: part.getAttribute('to'), swapSpec: { style: part.getAttribute('as') }, sourceElement: ctx.sourceElement });
    },
    // What is on the page already comes as a stub with its id: the node there stays,
    // untouched (DEC2).
    htmx_before_morph_node: (node, { newNode }) => !newNode.matches?.('[data-kept], .fence-slot:empty'),
  });

  // --- Copy. Exact text comes from textContent or from bytes; form fields and
  // serialised HTML lose carriage returns (DEC3).

  const say = (button, text) => {
    const label = button.dataset.label ??= button.textContent;
    button.textContent = text;
    clearTimeout(button.timer);
    button.timer = setTimeout(() => { button.textContent = label; }, 2000);
  };

  // Without a clipboard, as on plain http: the text, selected, and which keys to press.
  const offer = (button, text) => {
    $('.copy-field')?.remove();
    const keys = /Mac|iP/.test(navigator.platform) ? '⌘C' : 'Ctrl+C';
    const field = make('div', '', { class: 'copy-field' });
    const pre = make('pre', text, { tabindex: 0, role: 'group', 'aria-label': 'The text to copy' });
    field.append(make('p', `This browser opens the clipboard only to secure pages. Press ${keys} to copy the selected text, Esc to close.`, { role: 'status' }), pre);
    const close = () => { field.remove(); button.focus(); };
    pre.addEventListener('copy', event => {
      event.clipboardData.setData('text/plain', text);
      event.preventDefault();
      event.stopPropagation();
      close();
      say(button, 'Copied');
    });
    field.addEventListener('keydown', event => {
      if (event.key !== 'Escape') return;
      event.preventDefault(); // a window around it stays open
      close();
    });
    (button.closest('header, .answer-actions') ?? button).after(field);
    pre.focus();
    getSelection().selectAllChildren(pre);
  };

  const copy = (button, text) => Promise.resolve(navigator.clipboard?.writeText(text) ?? Promise.reject())
    .then(() => say(button, 'Copied'), () => offer(button, text));

  const copyFrom = async button => {
    try {
      const response = await fetch(button.dataset.copy);
      if (!response.ok) throw response;
      copy(button, new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer()));
    } catch {
      say(button, 'Could not fetch it');
    }
  };

  // A selection of shown code is copied as its bytes: no gutter, no line end more or
  // less. It may reach to just behind the code, as a triple click on the last line does.
  on('copy', event => {
    const selection = getSelection(), range = selection.rangeCount && selection.getRangeAt(0);
    if (!range || range.collapsed) return;
    const start = range.startContainer, code = (start.closest ? start : start.parentElement).closest('pre')?.querySelector('code');
    if (!code) return;
    const inside = range.cloneRange();
    if (!code.contains(range.endContainer)) inside.setEnd(code, code.childNodes.length);
    const text = inside.toString();
    if (!text || text !== range.toString()) return;
    event.clipboardData.setData('text/plain', text);
    event.preventDefault();
  });

  // --- Asking. Send, Stop and Retry are buttons of one form; the last two have
  // addresses of their own.

  const running = () => $('#send-btn[formaction]');
  const busy = 'An answer is being written. Stop it, or send this when it is done.';
  const problem = text => { const place = $('#composer-error'); if (place) place.textContent = text; };

  on('keydown', event => {
    const input = event.target, box = $('#message-input');
    if (!box || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' && !event.shiftKey && input === box) {
      event.preventDefault(); // while a turn runs, Enter neither sends nor stops (DEC8)
      if (!box.value.trim()) return;
      if (running()) problem(busy);
      else box.form.requestSubmit();
    } else if (event.key === '/' && !$('dialog[open]') && !input.closest?.('input, textarea, select')) {
      event.preventDefault();
      box.focus();
    }
  });
  on('htmx:config:request', ({ detail: { ctx: { request } } }) => {
    request.action = request.submitter?.getAttribute('formaction') ?? request.action;
  });
  // A question that is on the page already moves to the end instead of standing there twice.
  on('htmx:before:swap', event => {
    for (const { fragment } of event.detail.tasks) {
      for (const { id } of fragment.querySelectorAll('.exchange')) document.getElementById(id)?.remove();
    }
  });
  on('htmx:after:swap', ({ detail: { ctx: { request, response } } }) => {
    if (request.method !== 'POST' || response.status >= 300) return;
    problem('');
    if (request.action === '/chat') $('#message-input').value = '';
    if (response.status !== 200) return;
    const address = response.headers.get('HX-Push-Url') ?? response.headers.get('HX-Replace-Url');
    if (address) history.replaceState(null, '', address);
    lastQuestion();
  });
  on('htmx:error', ({ detail: { ctx } }) => {
    if (ctx?.request.method === 'POST') problem('The server can’t be reached. Nothing was sent; your question is still here.');
  });

  // --- The running turn. Seconds count from the age that the server gave.

  const started = new Map();
  const tick = () => {
    const article = $('.msg[data-age]');
    if (!article) return;
    if (!started.has(article.id)) started.set(article.id, performance.now() - article.dataset.age * 1000);
    const seconds = Math.floor((performance.now() - started.get(article.id)) / 1000);
    $('.elapsed', article).textContent = seconds < 3 ? '' : `· ${seconds} s`;
  };
  setInterval(tick, 1000);

  const lost = status => {
    const doing = $('.msg[data-age] .doing');
    if (!doing) return;
    doing.textContent = status ? 'No live updates: ' : 'The connection was lost, trying again…';
    if (status) doing.append(make('a', 'reload the page', { href: location.pathname }));
  };
  on('htmx:sse:error', event => lost(event.detail.status >= 400 && event.detail.status < 500));
  on('htmx:response:error', event => { if (event.target.className === 'stream') lost(true); });

  on('htmx:sse:after:message', () => requestAnimationFrame(() => {
    if (!running() && $('#composer-error')?.textContent === busy) problem('');
  }));

  // "Jump to latest" shows when text comes out of sight. The page never moves by itself.
  const jump = show => { $('#jump').hidden = !show; };
  on('htmx:sse:after:message', () => requestAnimationFrame(() => { if ($('#end')?.getBoundingClientRect().top > innerHeight) jump(true); }));

  // --- Documents

  const modal = () => $('#doc-modal');
  const namedLines = hash => /^#L(\d+)(?:-L?(\d+))?$/.exec(hash);
  const show = line => {
    const { top, bottom } = line.getBoundingClientRect();
    if (top < 100 || bottom > innerHeight - 100) line.scrollIntoView({ block: 'center' });
  };
  let leaving; // settles when a closed window's entry has left the history
  const openDocument = async link => {
    const dialog = modal();
    await leaving; // else that step back would close the next window
    if (!dialog.open) {
      dialog.showModal(); // closing gives the focus back
      if (!history.state?.modal) history.pushState({ modal: true }, '', '#document'); // Back closes it
    }
    const url = new URL(link.href), lines = namedLines(url.hash);
    if (lines && !url.searchParams.has('lines')) url.searchParams.set('lines', `${lines[1]}-${lines[2] ?? lines[1]}`);
    await htmx.ajax('GET', url.pathname + url.search, { target: '#doc-modal-body' });
    dialog.scrollTop = 0;
    const line = $('.line.hit', dialog);
    if (line) show(line);
  };
  addEventListener('popstate', () => { if (!history.state?.modal) modal()?.close(); });

  // #L12 and #L12-L40 in the address: mark the lines if they are here, else go where they are.
  const followLines = () => {
    const match = namedLines(location.hash);
    if (!match || !$('main.document')) return;
    const url = new URL(location), asked = url.searchParams.get('lines')?.split('-') ?? [];
    const first = +match[1], last = +(match[2] ?? (+asked[0] === first && asked[1] || first)), line = document.getElementById('L' + first);
    if (line) {
      for (const each of document.querySelectorAll('.line')) each.classList.toggle('hit', +each.dataset.n >= first && +each.dataset.n <= last);
      show(line);
      return;
    }
    const lines = `${first}-${last}`;
    if (url.searchParams.get('lines') === lines) return; // asked for already: there is no such line
    url.searchParams.set('lines', lines);
    location.assign(url);
  };
  addEventListener('hashchange', followLines);

  // A click on a number names the line; with Shift, the range from the one before.
  const pickLine = (line, event) => {
    if (event.clientX - line.getBoundingClientRect().left > parseFloat(getComputedStyle(line, '::before').width)) return;
    const from = event.shiftKey && /^#L(\d+)/.exec(location.hash)?.[1], n = +line.dataset.n;
    location.hash = from ? `L${Math.min(from, n)}-L${Math.max(from, n)}` : 'L' + n;
  };

  on('click', event => {
    const target = event.target, button = target.closest('button, a');
    const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (target === modal()) modal().close(); // its backdrop
    if (!modal() && target.closest('.doc-code .line')) pickLine(target.closest('.line'), event);
    if (!button) return;
    if (button.matches('.verbatim-copy, .code-copy')) {
      copy(button, $('code', button.closest('.verbatim, .code-block')).textContent);
    } else if (button.matches('[data-copy]')) {
      copyFrom(button);
    } else if (button.id === 'jump') {
      $('#end').scrollIntoView({ block: 'end' });
    } else if (plain && button.matches('.suggestion-chip') && $('#composer')) {
      event.preventDefault();
      const box = $('#message-input');
      box.value = button.textContent;
      box.focus();
      if (!running()) box.form.requestSubmit();
    } else if (plain && button.matches('a[href^="/document?"]') && modal()) {
      event.preventDefault();
      openDocument(button);
    }
  });

  // A card fetches what it shows when it is unfolded.
  on('toggle', ({ target: card }) => {
    if (!card.open || !card.dataset.src) return;
    htmx.ajax('GET', card.dataset.src, { source: card, target: $('.card-body', card) });
    delete card.dataset.src;
  }, true);

  // --- Uploads, with progress, which only this kind of request tells. Without script
  // the form goes by itself.

  on('submit', event => {
    const form = event.target;
    if (!form.matches?.('[data-upload]')) return;
    const file = $('[type=file]', form).files[0], button = $('button', form), box = $('.upload-progress', form);
    const wrong = (place, text) => { for (const id of ['file', 'name']) { const at = $(`#upload-${id}-error`); if (at) at.textContent = place === `#upload-${id}-error` ? text : ''; } };
    if (!file) return;
    event.preventDefault();
    if (form.dataset.max && file.size > +form.dataset.max) return wrong('#upload-file-error', `The file has ${Math.ceil(file.size / 1048576)} MB, more than the limit of ${Math.floor(form.dataset.max / 1048576)} MB.`);
    const request = new XMLHttpRequest(), words = $('[role=status]', box), data = new FormData(form);
    const over = (place, text) => { box.hidden = true; button.disabled = false; wrong(place, text); };
    request.open('POST', form.action);
    request.setRequestHeader('HX-Request-Type', 'partial');
    request.upload.onprogress = ({ loaded, total }) => {
      const percent = Math.floor(100 * loaded / total);
      $('progress', box).value = percent;
      if (percent === 100) words.textContent = 'Sent. It is being stored…';
    };
    request.onload = () => {
      if (request.status === 204) return location.assign('/git-sources');
      const place = request.getResponseHeader('HX-Retarget');
      over(place ?? '#upload-file-error', place ? request.responseText : `It was refused (${request.status}), and nothing was kept. Reload the page and try again.`);
    };
    request.onerror = () => over('#upload-file-error', 'The server can’t be reached, or it refused the file before its end. Nothing was kept.');
    wrong('', '');
    words.textContent = `Uploading ${file.name}`;
    box.hidden = false;
    button.disabled = true;
    request.send(data);
  });

  // --- The database is away: wait, then go on.

  const offline = async away => {
    const banner = $('#kb-banner'), fields = $('#composer-fields');
    banner.hidden = !away;
    if (fields) fields.disabled = away;
    if (!away) return problem('');
    await new Promise(resolve => setTimeout(resolve, 3000));
    const back = await fetch(banner.dataset.ready, { cache: 'no-store' }).then(r => r.ok, () => false);
    if (back && banner.dataset.reload != null) location.reload();
    else offline(!back);
  };
  on('htmx:response:error', event => { if (event.detail.ctx.response.status === 503 && $('#kb-banner').hidden) offline(true); });

  on('DOMContentLoaded', () => {
    tick();
    followLines();
    modal()?.addEventListener('close', () => {
      if (modal().open || !history.state?.modal) return; // told late: open again already
      leaving = new Promise(left => addEventListener('popstate', left, { once: true }));
      history.back();
    });
    if (!$('#kb-banner').hidden) offline(true);
    if (!$('#end')) return;
    new IntersectionObserver(([entry]) => { if (entry.isIntersecting) jump(false); }).observe($('#end'));
    if (!location.hash && performance.getEntriesByType('navigation')[0]?.type !== 'back_forward') lastQuestion();
  });
})();
