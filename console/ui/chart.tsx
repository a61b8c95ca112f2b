// Charts by day: stacked bars or lines, drawn by visx as SVG, so that colours follow the theme. A chart is one picture to
// assistive technology; what it shows is also in a table below it.
import { scaleBand, scaleLinear, scaleOrdinal } from '@visx/scale'
import { BarStack, LinePath } from '@visx/shape'
import { useEffect, useRef, useState } from 'react'
import { classNames } from './class-names.ts'

export type Series<T> = {
  id: string
  label: string
  /** Null where there is nothing to say. */
  countIn: (row: T) => number | null
  tone: 1 | 2 | 3 | 4 | 5
}

type Options<T> = {
  /** What the whole of it says, for those who don't see it. */
  label: string
  rows: readonly T[]
  keyOf: (row: T) => string
  /** Below the axis. */
  tickOf: (row: T) => string
  /** Of a row, while the pointer is over it. */
  nameOf: (row: T) => string
  series: readonly Series<T>[]
  format: (value: number) => string
  /** How high the axis goes at least, and at most if no value is higher. */
  top?: number
  onOpen?: (row: T) => void
}

const HEIGHT = 220
const BELOW = 24
const ABOVE = 8
const TICK_WIDTH = 64
const TICKS = 4

/** The width that there is. */
const useWidth = () => {
  const ref = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const place = ref.current
    if (!place) return
    const observer = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width))
    observer.observe(place)
    return () => observer.disconnect()
  }, [])
  return [ref, width] as const
}

export const DayChart = <T,>({
  kind,
  ...options
}: Options<T> & {
  kind: 'bars' | 'lines'
}) => {
  const [ref, width] = useWidth()
  const [here, setHere] = useState<string | null>(null)
  const { rows, keyOf, nameOf, series, format } = options
  const row = rows.find((one) => keyOf(one) === here)
  return (
    <div className="chart" ref={ref}>
      {width > 0 && <Plot {...options} kind={kind} width={width} here={here} onHere={setHere} />}
      <p className="chart__words" aria-hidden>
        {row ? (
          [nameOf(row), ...series.map((one) => wordsOf(one, row, format))].join(' · ')
        ) : (
          <Legend series={series} kind={kind} />
        )}
      </p>
    </div>
  )
}

const wordsOf = <T,>({ label, countIn }: Series<T>, row: T, format: (value: number) => string): string => {
  const value = countIn(row)
  return `${label}: ${value === null ? '–' : format(value)}`
}

const Legend = <T,>({ series, kind }: { series: readonly Series<T>[]; kind: 'bars' | 'lines' }) => (
  <span className="chart__legend">
    {series.map(({ id, label, tone }) => (
      <span key={id} className="chart__legend-one">
        <svg width={16} height={10} aria-hidden>
          {kind === 'bars' ? (
            <rect width={10} height={10} x={3} rx={2} className={`chart__fill--${tone}`} />
          ) : (
            <line x1={0} x2={16} y1={5} y2={5} className={`chart__line chart__line--${tone}`} />
          )}
        </svg>
        {label}
      </span>
    ))}
  </span>
)

type PlotProps<T> = Options<T> & {
  kind: 'bars' | 'lines'
  width: number
  here: string | null
  onHere: (key: string | null) => void
}

const Plot = <T,>({ kind, width, here, onHere, ...options }: PlotProps<T>) => {
  const { label, rows, keyOf, series, format, onOpen } = options
  const isShare = options.top !== undefined
  const top = Math.max(
    options.top ?? 1,
    ...rows.map((row) => {
      const values = series.map(({ countIn }) => countIn(row) ?? 0)
      return kind === 'bars' ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values)
    }),
  )
  const bottom = HEIGHT - BELOW
  const y = scaleLinear({ domain: [0, top], range: [bottom, ABOVE], nice: TICKS })
  const ticks = y.ticks(TICKS).filter((tick) => isShare || top > TICKS || Number.isInteger(tick))
  const left = 12 + 7 * Math.max(...ticks.map((tick) => format(tick).length))
  const x = scaleBand({
    domain: rows.map(keyOf),
    range: [left, width],
    paddingInner: 0.25,
    paddingOuter: 0.1,
  })
  return (
    <svg
      role="img"
      aria-label={label}
      className="chart__plot"
      height={HEIGHT}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      onPointerLeave={() => onHere(null)}
    >
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={left} x2={width} y1={y(tick)} y2={y(tick)} className="chart__grid" />
          <text x={left - 8} y={y(tick)} dy="0.32em" textAnchor="end" className="chart__tick">
            {format(tick)}
          </text>
        </g>
      ))}
      {rows.map((row) => {
        const key = keyOf(row)
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for the pointer; the table below has buttons
          <rect
            key={key}
            x={(x(key) ?? 0) - (x.step() - x.bandwidth()) / 2}
            y={ABOVE}
            width={x.step()}
            height={bottom - ABOVE}
            className={classNames(
              'chart__column',
              here === key && 'chart__column--here',
              onOpen && 'chart__bar--opens',
            )}
            onPointerEnter={() => onHere(key)}
            onClick={onOpen && (() => onOpen(row))}
          />
        )
      })}
      <g pointerEvents="none">
        {kind === 'bars' ? <Bars {...options} x={x} y={y} /> : <Lines {...options} x={x} y={y} />}
      </g>
      <DayTicks {...options} x={x} width={width - left} />
    </svg>
  )
}

type Scales = {
  x: ReturnType<typeof scaleBand<string>>
  y: ReturnType<typeof scaleLinear<number>>
}

const Bars = <T,>({ rows, keyOf, series, x, y }: Options<T> & Scales) => (
  <BarStack
    data={[...rows]}
    keys={series.map(({ id }) => id)}
    x={keyOf}
    value={(row, key) => series.find(({ id }) => id === key)!.countIn(row) ?? 0}
    xScale={x}
    yScale={y}
    color={scaleOrdinal({
      domain: series.map(({ id }) => id),
      range: series.map(({ tone }) => String(tone)),
    })}
  >
    {(stacks) =>
      stacks.flatMap(({ key, bars }) =>
        bars.map((bar) =>
          bar.height > 0 ? (
            <rect
              key={`${key} ${bar.index}`}
              x={bar.x}
              y={bar.y}
              width={bar.width}
              height={bar.height}
              className={`chart__fill--${bar.color}`}
            />
          ) : null,
        ),
      )
    }
  </BarStack>
)

const Lines = <T,>({ rows, keyOf, series, x, y }: Options<T> & Scales) =>
  series.map(({ id, countIn, tone }) => {
    const place = (row: T) => (x(keyOf(row)) ?? 0) + x.bandwidth() / 2
    return (
      <g key={id}>
        <LinePath
          data={[...rows]}
          defined={(row) => countIn(row) !== null}
          x={place}
          y={(row) => y(countIn(row) ?? 0)}
          className={`chart__line chart__line--${tone}`}
        />
        {rows.map((row) => {
          const value = countIn(row)
          return value === null ? null : (
            <circle
              key={keyOf(row)}
              cx={place(row)}
              cy={y(value)}
              r={rows.length > 40 ? 1.5 : 3}
              className={`chart__fill--${tone === 2 ? 3 : tone}`}
            />
          )
        })}
      </g>
    )
  })

/** As many days as there is room for, evenly apart. */
const DayTicks = <T,>({
  rows,
  keyOf,
  tickOf,
  x,
  width,
}: Options<T> & Pick<Scales, 'x'> & { width: number }) => {
  const every = Math.max(1, Math.ceil(rows.length / Math.max(1, Math.floor(width / TICK_WIDTH))))
  return rows.map((row, at) =>
    at % every === 0 ? (
      <text
        key={keyOf(row)}
        x={(x(keyOf(row)) ?? 0) + x.bandwidth() / 2}
        y={HEIGHT - 6}
        textAnchor="middle"
        className="chart__tick"
      >
        {tickOf(row)}
      </text>
    ) : null,
  )
}
