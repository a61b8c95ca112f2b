import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

/** A message across the top of the content that it concerns, shown as long as it applies. */
export const Banner = ({
  tone = 'plain',
  icon: Icon,
  action,
  children,
}: {
  tone?: 'plain' | 'warn' | 'danger' | 'ok'
  icon?: LucideIcon
  action?: ReactNode
  children: ReactNode
}) => (
  <div className={classNames('banner', `banner--${tone}`)} role={tone === 'danger' ? 'alert' : 'status'}>
    {Icon && <Icon size={16} aria-hidden />}
    <div className="grow">{children}</div>
    {action}
  </div>
)
