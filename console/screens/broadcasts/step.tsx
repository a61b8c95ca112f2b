import { ArrowLeft, ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { t } from '../../words/t.ts'

/** One step with its heading, which takes focus when the step opens, and the Back and Continue buttons. */
export const Step = ({
  title,
  about,
  nextLabel,
  onBack,
  onNext,
  next,
  hint,
  children,
}: {
  title: string
  about?: ReactNode
  nextLabel?: string
  onBack?: () => void
  /** Omitted if something is missing; `hint` says what. */
  onNext?: (() => void) | undefined
  /** Replaces the Continue button. */
  next?: ReactNode
  hint?: ReactNode
  children: ReactNode
}) => (
  <>
    <header>
      <h2 className="step-title" tabIndex={-1}>
        {title}
      </h2>
      {about && <p className="text-soft">{about}</p>}
    </header>
    {children}
    <footer className="step-foot">
      {onBack && (
        <Button variant="ghost" icon={ArrowLeft} onClick={onBack}>
          {t`Back`}
        </Button>
      )}
      <span className="grow text-soft text-small" role="status">
        {hint}
      </span>
      {next ?? (
        <Button variant="primary" icon={ArrowRight} disabled={!onNext} onClick={onNext}>
          {nextLabel}
        </Button>
      )}
    </footer>
  </>
)
