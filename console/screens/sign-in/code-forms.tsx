// Signing in with a code by email: where to send it, and what it is.
import { type ClipboardEvent, useEffect, useRef, useState } from 'react'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { rich, t } from '../../words/t.ts'

const CODE_LENGTH = 6
const RESEND_AFTER_MS = 30_000

export const EmailForm = ({
  email,
  isBusy,
  onChange,
  onSend,
}: {
  email: string
  isBusy: boolean
  onChange: (email: string) => void
  onSend: () => void
}) => (
  <form
    className="stack"
    onSubmit={(event) => {
      event.preventDefault()
      onSend()
    }}
    noValidate
  >
    <TextField
      label={t`Email`}
      type="email"
      name="email"
      autoComplete="email"
      autoFocus
      required
      value={email}
      onChange={(event) => onChange(event.target.value)}
    />
    <Button
      type="submit"
      variant="primary"
      size="large"
      isWide
      isBusy={isBusy}
      disabled={email.trim() === ''}
    >
      {t`Email me a code`}
    </Button>
  </form>
)

export const NoMail = () => (
  <Banner>
    {rich`This server can’t send email, so sign-in codes are unavailable. Ask whoever runs it for a sign-in link, which they create with ${<code className="text-mono">foyer sign-in-link --email you@example.com</code>}.`}
  </Banner>
)

/** Takes the code, typed or pasted with other text, and submits it as soon as it is complete. */
export const CodeForm = ({
  isBusy,
  onCode,
  onResend,
  onBack,
}: {
  isBusy: boolean
  /** Both return whether it worked. */
  onCode: (code: string) => Promise<boolean>
  onResend: () => Promise<boolean>
  onBack: () => void
}) => {
  const [code, setCode] = useState('')
  const [canResend, setCanResend] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const timer = setTimeout(() => setCanResend(true), RESEND_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  const submit = async (digits: string): Promise<void> => {
    if (digits.length < CODE_LENGTH || isBusy || (await onCode(digits))) return
    setCode('')
    field.current?.focus()
  }
  const resend = async (): Promise<void> => {
    if (await onResend()) field.current?.focus()
  }
  const write = (text: string): void => {
    const digits = text.replace(/\D/g, '').slice(0, CODE_LENGTH)
    setCode(digits)
    void submit(digits)
  }
  const paste = (event: ClipboardEvent): void => {
    const digits = event.clipboardData.getData('text').replace(/\D/g, '')
    if (digits.length < CODE_LENGTH) return
    event.preventDefault()
    write(digits)
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void submit(code)
      }}
    >
      <div className="code">
        <TextField
          ref={field}
          autoFocus
          label={t`Six-digit code`}
          dir="ltr"
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern="[0-9]*"
          value={code}
          readOnly={isBusy}
          onChange={(event) => write(event.target.value)}
          onPaste={paste}
        />
      </div>
      <Button
        type="submit"
        variant="primary"
        size="large"
        isWide
        isBusy={isBusy}
        disabled={code.length < CODE_LENGTH}
      >
        {t`Sign in`}
      </Button>
      <div className="row row--between row--wrap">
        <Button variant="ghost" onClick={onBack}>
          {t`Use another email`}
        </Button>
        <Button variant="ghost" disabled={!canResend || isBusy} onClick={() => void resend()}>
          {t`Send a new code`}
        </Button>
      </div>
    </form>
  )
}
