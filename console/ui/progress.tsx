import { classNames } from './class-names.ts'

export type Part = { tone: 'ok' | 'danger' | 'plain'; value: number; label: string }

/** A progress bar by outcome. `text` describes it in words. */
export const Progress = ({
  label,
  total,
  parts,
  text,
}: {
  label: string
  total: number
  parts: Part[]
  text: string
}) => {
  const done = parts.reduce((sum, { value }) => sum + value, 0)
  return (
    <div
      className="progress"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={Math.min(done, total)}
      aria-valuetext={text}
    >
      {parts.map(({ tone, value, label }) => (
        <span
          key={label}
          className={classNames('progress__part', `progress__part--${tone}`)}
          style={{ width: `${total > 0 ? (value / total) * 100 : 0}%` }}
        />
      ))}
    </div>
  )
}

/** Related numbers, each with a label. */
export const Figures = ({ figures }: { figures: { label: string; value: string; tone?: 'danger' }[] }) => (
  <dl className="figures">
    {figures.map(({ label, value, tone }) => (
      <div key={label} className="figures__one">
        <dt className="figures__label">{label}</dt>
        <dd className={classNames('figures__value', tone === 'danger' && 'text-danger')}>{value}</dd>
      </div>
    ))}
  </dl>
)
