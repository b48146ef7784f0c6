// The table of all cases: columns come from the data element, rows are made as they scroll into
// sight. Text from outside only ever becomes a text node.
'use strict';
const report = (() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const cases = data.cases;
  const count = cases.verdict.length;
  const rowHeight = 42;
  const verdictNames = data.verdicts.map((row) => row.name);

  const word = (column, i) => column.words[column.rows[i]];
  const caseId = (i) => {
    const parts = cases.id.map((column) => word(column, i));
    return parts[4] === '' ? parts[0] : parts.join('/');
  };
  // What is computed, and with which sizes and data: the two lines of a row.
  const idParts = (i) => {
    const parts = cases.id.map((column) => word(column, i));
    return parts[4] === '' ? [parts[0], ''] : [parts.slice(0, 2).join('/'), parts.slice(2).join('/')];
  };
  const ids = Array.from({length: count}, (_, i) => caseId(i));
  const number = (value) => value === null ? NaN : value === 'inf' || value === 'nan' ? Infinity
      : value === '-inf' ? -Infinity : value;
  const margins = cases.margin.map(number);
  const haystacks = [];
  const haystack = (i) => haystacks[i] ??= (ids[i] + ' ' + verdictNames[cases.verdict[i]] + ' ' +
      word(cases.lane, i) + ' ' + word(cases.reason, i)).toLowerCase();

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }
  const spoken = (name) => name.replaceAll('_', ' ');
  const shown = (value) => value === null ? '' : String(value);

  function verdictTag(i) {
    const name = verdictNames[cases.verdict[i]];
    return element('span', 'tag v v-' + name, spoken(name));
  }

  const byText = (text) => (a, b) => text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : a - b;
  const byNumber = (value) => (a, b) => {
    const x = value(a), y = value(b);
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y) || a - b;
    return x < y ? -1 : x > y ? 1 : a - b;
  };
  const columns = [
    {name: 'verdict', order: byText((i) => verdictNames[cases.verdict[i]])},
    {name: 'margin', order: byNumber((i) => margins[i]), className: 'n', first: -1},
    {name: 'lane', order: byText((i) => word(cases.lane, i))},
    {name: 'seconds', order: byNumber((i) => number(cases.seconds[i])), className: 'n', first: -1},
    {name: 'case', order: byText((i) => ids[i])},
  ];
  const state = {words: [], verdict: '', cell: null, sort: null, direction: 1, rows: []};

  const host = document.getElementById('table');
  const head = element('div', 'head');
  head.setAttribute('role', 'row');
  const body = element('div', 'body');
  const canvas = element('div');
  host.append(head, body);
  body.append(canvas);
  canvas.style.position = 'relative';
  columns.forEach((column) => {
    column.button = element('button', column.name + ' ' + (column.className || ''), column.name);
    column.button.type = 'button';
    column.button.setAttribute('role', 'columnheader');
    column.button.addEventListener('click', () => sortBy(column));
    head.append(column.button);
  });

  function sortBy(column) {
    state.direction = state.sort === column ? -state.direction : column.first || 1;
    state.sort = column;
    update();
  }

  function matches(i) {
    if (state.verdict !== '' && verdictNames[cases.verdict[i]] !== state.verdict) return false;
    if (state.cell !== null && data.cells.rows[i] !== state.cell) return false;
    return state.words.every((part) => haystack(i).includes(part));
  }

  function update() {
    const rows = [];
    for (let i = 0; i < count; ++i) if (matches(i)) rows.push(i);
    if (state.sort) {
      const order = state.sort.order;
      const direction = state.direction;
      const hasNone = state.sort.name === 'margin';
      rows.sort((a, b) => {
        if (hasNone && Number.isNaN(margins[a]) !== Number.isNaN(margins[b])) {
          return Number.isNaN(margins[a]) ? 1 : -1;
        }
        return direction * order(a, b);
      });
    }
    state.rows = rows;
    columns.forEach((column) => {
      if (column === state.sort) column.button.dataset.sort = state.direction > 0 ? '▲' : '▼';
      else delete column.button.dataset.sort;
    });
    document.getElementById('shown').textContent = rows.length.toLocaleString('en') +
        (rows.length === 1 ? ' case' : ' cases') +
        (rows.length === count ? '' : ' of ' + count.toLocaleString('en'));
    canvas.style.height = rows.length * rowHeight + 'px';
    body.scrollTop = 0;
    paint();
  }

  function rowElement(i, at) {
    const row = element('div', 'row');
    row.setAttribute('role', 'row');
    row.tabIndex = 0;
    row.dataset.index = i;
    row.style.top = at * rowHeight + 'px';
    const verdict = element('div');
    verdict.append(verdictTag(i));
    const [problem, rest] = idParts(i);
    const id = element('div', 'id', problem);
    id.title = ids[i];
    const second = element('span', 'rest', rest);
    const reason = word(cases.reason, i);
    if (reason) second.append(element('small', '', reason));
    id.append(second);
    row.append(verdict, element('div', 'n', shown(cases.margin[i])),
        element('div', 'lane', word(cases.lane, i)),
        element('div', 'n seconds', shown(cases.seconds[i])), id);
    return row;
  }

  function paint() {
    const first = Math.max(0, Math.floor(body.scrollTop / rowHeight) - 4);
    const last = Math.min(state.rows.length,
        Math.ceil((body.scrollTop + body.clientHeight) / rowHeight) + 4);
    const rows = [];
    for (let at = first; at < last; ++at) rows.push(rowElement(state.rows[at], at));
    if (state.rows.length === 0) rows.push(element('div', 'empty', 'No case matches.'));
    canvas.replaceChildren(...rows);
  }
  body.addEventListener('scroll', paint, {passive: true});
  window.addEventListener('resize', paint);

  const replayLine = (i) => "./plumbline replay '" + ids[i].replaceAll("'", "'\\''") + "'" +
      word(cases.options, i);

  function replayElement(i) {
    const line = element('p', 'replay');
    const copy = element('button', 'copy', 'copy');
    copy.type = 'button';
    line.append(element('code', '', replayLine(i)), copy);
    return line;
  }

  function list(pairs) {
    const made = element('dl');
    for (const [name, value] of pairs) {
      if (value === '' || value === null || value === undefined) continue;
      made.append(element('dt', '', name), element('dd', '', String(value)));
    }
    return made;
  }

  function elementsTable(worst) {
    const names = ['output', 'where', 'expected', 'got', 'radius', 'ulp', 'margin'];
    const table = element('table', 'plain');
    const headRow = element('tr');
    names.forEach((name, at) => headRow.append(element('th', at < 2 ? '' : 'n', name)));
    const top = element('thead');
    top.append(headRow);
    const rows = element('tbody');
    for (const item of worst) {
      const row = element('tr');
      names.forEach((name, at) => row.append(element('td', at < 2 ? '' : 'n', item[name])));
      rows.append(row);
    }
    table.append(top, rows);
    const scroll = element('div', 'scroll');
    scroll.append(table);
    return scroll;
  }

  function bars(title, values, labels) {
    const box = element('div');
    box.append(element('p', 'lead', title));
    const chart = element('div', 'bars');
    const top = Math.max(...values.map((v) => Number.isFinite(v) ? v : 0), 1e-300);
    values.forEach((value, at) => {
      const bar = element('i');
      bar.style.height = (Number.isFinite(value) ? 100 * value / top : 100) + '%';
      bar.title = labels(at) + ': ' + value;
      chart.append(bar);
    });
    box.append(chart);
    return box;
  }

  const binNames = ['≤ −8', '−8…−4', '−4…−2', '−2…−1', '−1…−½', '−½…0', '0', '0…½', '½…1', '1…2',
    '2…4', '4…8', '≥ 8', 'NaN'];

  function detailParts(i) {
    const detail = data.details[i];
    if (!detail) {
      return [element('p', 'lead', 'Elements and sketch of this case stand in its journal line.')];
    }
    const parts = [list([
      ['path that ran', detail.path], ['profile', detail.profile],
      ['elements compared', detail.compared.toLocaleString('en') + ' of ' +
        detail.elements.toLocaleString('en')],
      ['RMS of the expected', detail.rms],
      ['margins: median, 90 %, 99 %, largest', [3, 5, 6, 7]
          .map((at) => detail.quantiles[at]).join(', ')]])];
    if (detail.worst.length > 0) parts.push(elementsTable(detail.worst));
    if (detail.ulp.some((n) => n > 0)) {
      parts.push(bars('Signed error in ulp, log of the count, from ≤ −8 to ≥ 8 and NaN',
          detail.ulp.map((n) => Math.log10(n + 1)),
          (at) => binNames[at] + ' ulp, ' + detail.ulp[at] + ' elements, log'));
    }
    if (detail.maxima.length > 0) {
      parts.push(bars('Largest margin of each ' + detail.group, detail.maxima.map(number),
          (at) => detail.group + ' ' + at));
    }
    return parts;
  }

  const dialog = document.getElementById('case');
  function open(i) {
    const close = element('button', 'close', 'close');
    close.type = 'button';
    close.addEventListener('click', () => dialog.close());
    const verdict = data.verdicts[cases.verdict[i]];
    const title = element('h3', '', ids[i]);
    const tag = element('p');
    tag.style.margin = '0';
    tag.append(verdictTag(i), document.createTextNode(' ' + verdict.meaning));
    dialog.replaceChildren(close, title, tag, list([['lane', word(cases.lane, i)],
      ['reason', word(cases.reason, i)], ['margin', cases.margin[i]],
      ['seconds', cases.seconds[i]]]), replayElement(i), ...detailParts(i));
    if (!dialog.open) dialog.show();
    dialog.scrollTop = 0;
  }

  function copy(button) {
    const text = button.previousElementSibling.textContent;
    const done = (said) => {
      button.textContent = said;
      setTimeout(() => { button.textContent = 'copy'; }, 1500);
    };
    const select = () => {
      getSelection().selectAllChildren(button.previousElementSibling);
      done(document.execCommand('copy') ? 'copied' : 'selected');
    };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => done('copied'), select);
    else select();
  }

  const search = document.getElementById('search');
  const verdictSelect = document.getElementById('verdict');
  const cellFilter = document.getElementById('cell-filter');
  function setCell(cell) {
    state.cell = cell;
    cellFilter.hidden = cell === null;
    cellFilter.textContent = cell === null ? '' : data.cells.names[cell] || 'no case';
  }
  function setVerdict(name) {
    state.verdict = name;
    verdictSelect.value = name;
  }
  function clear() {
    search.value = '';
    state.words = [];
    setVerdict('');
    setCell(null);
  }
  function show(change) {
    clear();
    change();
    update();
    document.getElementById('cases').scrollIntoView();
  }
  search.addEventListener('input', () => {
    state.words = search.value.toLowerCase().split(/\s+/).filter((part) => part !== '');
    update();
  });
  search.form.addEventListener('submit', (event) => event.preventDefault());
  verdictSelect.addEventListener('change', () => { setVerdict(verdictSelect.value); update(); });
  document.getElementById('clear').addEventListener('click', () => { clear(); update(); });
  document.addEventListener('click', (event) => {
    const button = event.target.closest('button, .row');
    if (!button) return;
    if (button.matches('.copy')) copy(button);
    else if (button.matches('.open, .row')) open(Number(button.dataset.index));
    else if (button.matches('.chip')) show(() => setVerdict(button.dataset.verdict));
    else if (button.matches('.cell')) show(() => setCell(Number(button.dataset.cell)));
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && dialog.open) dialog.close();
    const row = event.target.closest && event.target.closest('.row');
    if (row && event.key === 'Enter') open(Number(row.dataset.index));
  });
  update();
  return {data, ids, margins, word, open, element, binNames};
})();
