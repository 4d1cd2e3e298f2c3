/** A Vega-Lite chart of the data in its specification. It never fetches data. */
import { useEffect, useRef, useState } from 'react';
import { parse, View } from 'vega';
import { expressionInterpreter } from 'vega-interpreter';
import { compile, type TopLevelSpec } from 'vega-lite';
import { useTheme } from '../theme.ts';

const HEIGHT = 240;

type Spec = Record<string, unknown>;

/** Renders the chart again when the theme changes, because it uses the theme's colours. */
export default function VegaChart({ spec }: { spec: Spec }) {
  return <Chart key={useTheme()} spec={spec} />;
}

function Chart({ spec }: { spec: Spec }) {
  const ref = useRef<HTMLDivElement>(null);
  const [problem, setProblem] = useState<string>();

  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    let view: View | undefined;
    try {
      view = viewOf(spec, element);
      view.runAsync().catch((error) => setProblem(String(error)));
      setProblem(undefined);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    return () => void view?.finalize();
  }, [spec]);

  return (
    <>
      {problem && <p className="note bad">Couldn't render the chart: {problem}</p>}
      <div
        ref={ref}
        className="chart"
        style={{ minHeight: problem ? 0 : HEIGHT }}
        role="img"
        aria-label={titleOf(spec)}
      />
    </>
  );
}

/** Uses Vega's interpreter, because compiled expressions would need `unsafe-eval` in the content security policy. */
function viewOf(spec: Record<string, unknown>, container: HTMLElement): View {
  const width = Math.max(200, container.clientWidth - 20);
  const sized = { ...spec, width, height: HEIGHT, autosize: { type: 'fit', contains: 'padding' } };
  const compiled = compile(sized as unknown as TopLevelSpec, { config: configFor(container) });
  return new View(parse(compiled.spec, undefined, { ast: true }), {
    expr: expressionInterpreter,
    renderer: 'svg',
    container,
    hover: false,
    loader: { load: refuse, sanitize: refuse, http: refuse, file: refuse, fileAccess: false } as never,
  });
}

/** Rejects every load, because the specification comes from a model. */
async function refuse(): Promise<never> {
  throw new Error("charts can't load data");
}

function configFor(element: HTMLElement) {
  const probe = getComputedStyle(element);
  const [text, line, accent] = [probe.color, probe.borderTopColor, probe.outlineColor];
  return {
    background: 'transparent',
    font: probe.fontFamily,
    view: { stroke: 'transparent' },
    axis: {
      labelColor: text,
      titleColor: text,
      gridColor: line,
      domainColor: line,
      tickColor: line,
      labelFontSize: 11,
      labelOverlap: 'greedy' as const,
      labelLimit: 140,
      titleFontSize: 11,
      titleFontWeight: 500 as const,
    },
    mark: { color: accent },
    legend: { labelColor: text, titleColor: text },
    title: { color: text },
  };
}

function titleOf({ encoding }: Record<string, unknown>): string {
  const { x, y } = (encoding ?? {}) as Record<string, { title?: string; field?: string } | undefined>;
  const [across, up] = [x, y].map((axis) => axis?.title ?? axis?.field ?? '');
  return across && up ? `Chart of ${up} by ${across}` : 'Chart';
}
