import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../words/t.ts'
import { Button } from './button.tsx'

/** Shown for empty lists: why, and what to do next. */
export const EmptyState = ({
  icon: Icon,
  title,
  children,
  action,
}: {
  icon?: LucideIcon
  title: string
  children?: ReactNode
  action?: ReactNode
}) => (
  <div className="empty">
    {Icon && (
      <span className="empty__icon">
        <Icon size={22} aria-hidden />
      </span>
    )}
    <h2 className="empty__title">{title}</h2>
    {children && <p className="empty__words">{children}</p>}
    {action}
  </div>
)

/** Shown when something failed to load. Trying again doesn't help those who may not see it. */
export const LoadProblem = ({ error, onRetry }: { error: unknown; onRetry: () => void }) => {
  const words = error instanceof Error ? error.message : t`Something went wrong.`
  if (error instanceof Error && 'status' in error && error.status === 403)
    return <EmptyState title={t`You don’t have access to this`}>{words}</EmptyState>
  return (
    <EmptyState
      title={t`Couldn’t load this`}
      action={
        <Button onClick={onRetry} variant="secondary">
          {t`Try again`}
        </Button>
      }
    >
      {words}
    </EmptyState>
  )
}
