import { Check, Copy } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { t } from '../words/t.ts'
import { Button } from './button.tsx'

const SAID_MS = 2_500

/** Text to copy: shown unchanged, wrapped, with a copy button. */
export const CopyField = ({
  label,
  hint,
  value,
  isFocused = false,
}: {
  label: string
  hint?: ReactNode
  value: string
  /** Focuses the button when it appears. */
  isFocused?: boolean
}) => {
  const id = useId()
  const text = useRef<HTMLElement>(null)
  const [said, setSaid] = useState('')
  useEffect(() => {
    if (!said) return
    const timer = setTimeout(() => setSaid(''), SAID_MS)
    return () => clearTimeout(timer)
  }, [said])
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value)
      setSaid(t`Copied`)
    } catch {
      // Without https there is no clipboard access: the text is selected instead, ready to copy.
      if (text.current) getSelection()?.selectAllChildren(text.current)
      setSaid(t`Selected. Press Ctrl+C or ⌘C to copy.`)
    }
  }
  return (
    <div className="field">
      <span id={id} className="field__label">
        {label}
      </span>
      <div className="copy">
        <code ref={text} className="copy__text">
          {value}
        </code>
        <Button
          size="small"
          icon={said === 'Copied' ? Check : Copy}
          aria-label={t`Copy: ${label}`}
          onClick={() => void copy()}
          autoFocus={isFocused}
        >
          {said === 'Copied' ? t`Copied` : t`Copy`}
        </Button>
      </div>
      <span role="status" className={said && said !== 'Copied' ? 'field__hint' : 'hidden-visually'}>
        {said}
      </span>
      {hint && <p className="field__hint">{hint}</p>}
    </div>
  )
}
