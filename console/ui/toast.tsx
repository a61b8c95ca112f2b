import { X } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { t } from '../words/t.ts'
import { Button, IconButton } from './button.tsx'
import { classNames } from './class-names.ts'

type Toast = {
  id: number
  text: string
  tone: 'plain' | 'danger'
  action?: { label: string; run: () => void }
}

const SHOWN_MAX = 3
const SHOWN_MS = 5_000
const SHOWN_WITH_ACTION_MS = 10_000

let toasts: Toast[] = []
let nextId = 1
const listeners = new Set<() => void>()
const change = (next: Toast[]) => {
  toasts = next
  for (const listener of listeners) listener()
}
const dismiss = (id: number) => change(toasts.filter((toast) => toast.id !== id))

/** A message about what just happened. Anything the user must act on belongs on the screen instead. */
export const toast = (
  text: string,
  { shownMs, ...options }: Partial<Pick<Toast, 'tone' | 'action'>> & { shownMs?: number } = {},
): void => {
  const id = nextId++
  change([...toasts, { id, text, tone: 'plain' as const, ...options }].slice(-SHOWN_MAX))
  setTimeout(() => dismiss(id), shownMs ?? (options.action ? SHOWN_WITH_ACTION_MS : SHOWN_MS))
}

/** Shows an error's message, whatever was thrown. */
export const toastError = (error: unknown): void =>
  toast(error instanceof Error ? error.message : t`Something went wrong. Try again.`, { tone: 'danger' })

export const Toasts = () => {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => toasts,
  )
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, tone, action }) => (
        <div key={id} className={classNames('toast', tone === 'danger' && 'toast--danger')}>
          <span dir="auto">{text}</span>
          {action && (
            <Button
              size="small"
              variant="ghost"
              onClick={() => {
                dismiss(id)
                action.run()
              }}
            >
              {action.label}
            </Button>
          )}
          <IconButton
            icon={X}
            size="small"
            label={t`Dismiss`}
            hasTooltip={false}
            onClick={() => dismiss(id)}
          />
        </div>
      ))}
    </div>
  )
}
