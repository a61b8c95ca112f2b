import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'

/** Nothing to show: why, and what to do about it. */
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

/** Something could not be loaded. */
export const LoadProblem = ({ error, onRetry }: { error: unknown; onRetry: () => void }) => (
  <EmptyState
    title="This could not be loaded"
    action={
      <Button onClick={onRetry} variant="secondary">
        Try again
      </Button>
    }
  >
    {error instanceof Error ? error.message : 'Something went wrong.'}
  </EmptyState>
)
