import { CircleCheck, CircleX } from 'lucide-react'

/** Results of a check, announced to screen readers as they arrive. */
export const CheckList = ({ checks }: { checks: { name: string; ok: boolean; message: string }[] }) => (
  <ul className="checks">
    {checks.map(({ name, ok, message }) => {
      const Icon = ok ? CircleCheck : CircleX
      return (
        <li key={name} className={`checks__line checks__line--${ok ? 'ok' : 'bad'}`}>
          <Icon size={16} role="img" aria-label={ok ? 'OK' : 'Failed'} />
          <div>
            <div className="text-strong">{name}</div>
            <div className="text-soft user-text">{message}</div>
          </div>
        </li>
      )
    })}
  </ul>
)
