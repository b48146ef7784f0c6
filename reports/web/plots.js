// The plots, drawn with D3 from the columns that the table uses.
'use strict';
(() => {
  const {data, ids, margins, word, open, element, binNames} = report;
  const colour = (at) => d3.schemeTableau10[at % 10];
  const dash = (at) => at < 10 ? null : '4 2';
  const names = data.series.map((series) => series.name);
  const seriesOf = new Map(names.map((name, at) => [name, at]));
  const points = [];
  margins.forEach((margin, i) => {
    const at = seriesOf.get(word(data.cases.series, i));
    if (at !== undefined && !Number.isNaN(margin)) {
      points.push({i, at, margin, length: data.cases.length[i]});
    }
  });
  const least = 1e-3;
  const finite = points.map((p) => p.margin).filter(Number.isFinite);
  const most = Math.min(Math.max(2, d3.max(finite) || 2), 1e4);
  const clamp = (margin) => Math.min(Math.max(margin, least), most);
  const size = {height: 260, left: 44, right: 14, top: 12, bottom: 34};

  function frame(id) {
    const host = document.getElementById(id);
    if (!host) return null;
    host.replaceChildren();
    const width = Math.max(280, host.clientWidth);
    const svg = d3.select(host).append('svg').attr('width', width).attr('height', size.height);
    return {host, svg, width, right: width - size.right, floor: size.height - size.bottom};
  }

  function axis(svg, place, drawn) {
    svg.append('g').attr('class', 'axis').attr('transform', place).call(drawn);
  }

  function label(svg, x, y, anchor, text, className = 'label') {
    svg.append('text').attr('class', className).attr('x', x).attr('y', y)
        .attr('text-anchor', anchor).text(text);
  }

  function keys(host) {
    const box = element('div', 'keys');
    names.forEach((name, at) => {
      const key = element('span');
      const mark = element('i');
      mark.style.background = colour(at);
      key.append(mark, document.createTextNode(name));
      box.append(key);
    });
    host.append(box);
  }

  // At most a few hundred corners of the step curve, whatever the number of cases.
  function steps(sorted) {
    const every = Math.ceil(sorted.length / 400);
    const kept = sorted.map((m, n) => [m, (n + 1) / sorted.length])
        .filter((_, n) => n % every === 0 || n + every >= sorted.length);
    return [[least, 0], ...kept, [most, 1]];
  }

  function drawEcdf() {
    const box = frame('plot-ecdf');
    if (!box) return;
    const x = d3.scaleLog([least, most], [size.left, box.right]);
    const y = d3.scaleLinear([0, 1], [box.floor, size.top]);
    axis(box.svg, `translate(0,${box.floor})`, d3.axisBottom(x).ticks(6, '~g'));
    axis(box.svg, `translate(${size.left},0)`, d3.axisLeft(y).ticks(5, '%'));
    label(box.svg, box.right, size.height - 3, 'end', 'worst margin of a case (log)');
    names.forEach((name, at) => {
      const sorted = points.filter((p) => p.at === at).map((p) => clamp(p.margin))
          .sort((a, b) => a - b);
      const line = steps(sorted);
      box.svg.append('path').attr('fill', 'none').attr('stroke', colour(at))
          .attr('stroke-width', 1.8).attr('stroke-dasharray', dash(at))
          .attr('d', d3.line().x((p) => x(p[0])).y((p) => y(p[1])).curve(d3.curveStepAfter)(line))
          .append('title').text(name);
    });
    box.svg.append('line').attr('class', 'limit').attr('x1', x(1)).attr('x2', x(1))
        .attr('y1', size.top).attr('y2', box.floor);
    label(box.svg, x(1) - 4, box.floor - 6, 'end', 'limit', 'limit-label');
    keys(box.host);
  }

  function paintPoints(box, place) {
    const canvas = element('canvas');
    const ratio = window.devicePixelRatio || 1;
    canvas.width = box.width * ratio;
    canvas.height = size.height * ratio;
    canvas.style.cssText = `left:0;top:0;width:${box.width}px;height:${size.height}px`;
    const pen = canvas.getContext('2d');
    pen.scale(ratio, ratio);
    pen.globalAlpha = points.length > 3000 ? 0.35 : 0.7;
    for (const p of points) {
      pen.fillStyle = colour(p.at);
      pen.beginPath();
      pen.arc(...place(p), 2.4, 0, 2 * Math.PI);
      pen.fill();
    }
    box.host.append(canvas);
  }

  function hover(box, place) {
    const tree = d3.quadtree(points, (p) => place(p)[0], (p) => place(p)[1]);
    const tip = element('div', 'tip');
    tip.hidden = true;
    box.host.append(tip);
    const near = () => tree.find(...d3.mouse(box.svg.node()), 10);
    box.svg.on('mousemove', () => {
      const found = near();
      tip.hidden = !found;
      if (!found) return;
      tip.textContent = `margin ${data.cases.margin[found.i]}: ${ids[found.i]}`;
      tip.style.left = Math.min(place(found)[0], box.width / 2) + 'px';
      tip.style.top = place(found)[1] + 12 + 'px';
    }).on('mouseleave', () => { tip.hidden = true; }).on('click', () => {
      const found = near();
      if (found) open(found.i);
    });
  }

  function drawLength() {
    const box = frame('plot-length');
    if (!box) return;
    const lengths = points.map((p) => Math.max(p.length, 1));
    const x = d3.scaleLog([Math.max(1, d3.min(lengths) / 1.3), d3.max(lengths) * 1.3],
        [size.left, box.right]).base(2);
    const y = d3.scaleLog([least, most], [box.floor, size.top]);
    axis(box.svg, `translate(0,${box.floor})`, d3.axisBottom(x).ticks(8, '~d'));
    axis(box.svg, `translate(${size.left},0)`, d3.axisLeft(y).ticks(5, '~g'));
    label(box.svg, box.right, size.height - 3, 'end', 'contraction length (log)');
    box.svg.append('line').attr('class', 'limit').attr('y1', y(1)).attr('y2', y(1))
        .attr('x1', size.left).attr('x2', box.right);
    label(box.svg, size.left + 4, y(1) - 4, 'start', 'limit', 'limit-label');
    const spread = (i) => ((i * 0.618034) % 1 - 0.5) * 9;
    const place = (p) => [x(Math.max(p.length, 1)) + spread(p.i), y(clamp(p.margin))];
    paintPoints(box, place);
    hover(box, place);
    keys(box.host);
  }

  function drawHistogram(host, series) {
    const box = element('div', 'hist');
    box.append(element('h4', '', series.name));
    host.append(box);
    const width = Math.max(260, box.clientWidth), height = 150, left = 34, floor = height - 30;
    const svg = d3.select(box).append('svg').attr('width', width).attr('height', height);
    const x = d3.scaleBand(d3.range(binNames.length), [left, width - 4]).padding(0.08);
    const y = d3.scaleLog([0.5, Math.max(10, d3.max(series.ulp))], [floor, 8]);
    const powers = y.ticks().filter((t) => t >= 1 && Number.isInteger(Math.log10(t)));
    const shown = powers.filter((_, at) => at % Math.ceil(powers.length / 4) === 0);
    axis(svg, `translate(${left},0)`, d3.axisLeft(y).tickValues(shown).tickFormat(d3.format('~s')));
    svg.append('line').attr('class', 'guide').attr('x1', left).attr('x2', width)
        .attr('y1', floor).attr('y2', floor);
    series.ulp.forEach((n, bin) => {
      if (n === 0) return;
      svg.append('rect').attr('x', x(bin)).attr('width', x.bandwidth()).attr('y', y(n))
          .attr('height', floor - y(n)).attr('class', bin === 13 ? 'nan' : null)
          .append('title').text(`${binNames[bin]} ulp: ${n.toLocaleString('en')} elements`);
    });
    const ticks = {0: '≤−8', 2: '−4', 3: '−2', 4: '−1', 6: '0', 8: '1', 9: '2', 10: '4', 12: '≥8',
      13: 'NaN'};
    Object.entries(ticks).forEach(([bin, text]) => {
      label(svg, x(Number(bin)) + x.bandwidth() / 2, floor + 13, 'middle', text);
    });
    label(svg, width - 4, height - 3, 'end', 'signed error, ulp');
  }

  function drawAll() {
    if (points.length === 0) return;
    drawEcdf();
    drawLength();
    const host = document.getElementById('plot-ulp');
    if (!host) return;
    host.replaceChildren();
    data.series.filter((series) => series.ulp.some((n) => n > 0))
        .forEach((series) => drawHistogram(host, series));
  }

  let waiting = 0;
  window.addEventListener('resize', () => {
    clearTimeout(waiting);
    waiting = setTimeout(drawAll, 150);
  });
  drawAll();
})();
