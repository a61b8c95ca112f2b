import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { type ClipboardEvent, useCallback, useEffect, useRef, useState } from 'react'
import icon from '../../icon.svg'
import { ApiError, request } from '../../state/api.ts'
import { keys } from '../../state/query-keys.ts'
import type { About, Session } from '../../state/types.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Spinner } from '../../ui/spinner.tsx'

const CODE_LENGTH = 6
const RESEND_AFTER_MS = 30_000

/** Where the demo's codes arrive. Returns nothing outside the demo. */
const useAbout = (): About | null => {
  const [about, setAbout] = useState<About | null>(null)
  useEffect(() => {
    request<About>('GET', '/about').then(setAbout, () => {})
  }, [])
  return about
}

type Proof = { email: string; code: string } | { secret: string }

const problemOfProof = (proof: Proof, error: unknown): string =>
  'secret' in proof && error instanceof ApiError && error.status < 500 && error.status > 0
    ? 'This link has expired or was already used. Request a new one, or sign in with a code.'
    : (error as Error).message

/** One request at a time, and why the last one failed. */
const useAttempt = (isStarted: boolean) => {
  const [isBusy, setBusy] = useState(isStarted)
  const [problem, setProblem] = useState<string | null>(null)
  const start = useCallback(() => {
    setBusy(true)
    setProblem(null)
  }, [])
  const end = useCallback((problem: string | null) => {
    setBusy(false)
    setProblem(problem)
  }, [])
  return { isBusy, problem, start, end }
}

/** Uses the secret of a link once, and a link that is opened while this page is shown. */
const useLinkSecret = (secret: string, enter: (proof: Proof) => Promise<boolean>): void => {
  const tried = useRef(false)
  useEffect(() => {
    if (!secret || tried.current) return
    tried.current = true
    // The secret must not stay in the URL or the history.
    history.replaceState(history.state, '', location.pathname + location.search)
    void enter({ secret })
  }, [secret, enter])
  // Opening such a link on this page only changes the part after the #, so nothing reloads.
  useEffect(() => {
    const onHash = (): void => {
      if (location.hash) location.reload()
    }
    addEventListener('hashchange', onHash)
    return () => removeEventListener('hashchange', onHash)
  }, [])
}

/** A valid session doesn't need to be replaced. */
const useValidSession = (isWanted: boolean, to: string): void => {
  const navigate = useNavigate()
  const client = useQueryClient()
  useEffect(() => {
    if (!isWanted) return
    request<Session>('GET', '/session').then(
      (session) => {
        client.setQueryData(keys.session, session)
        void navigate({ to, replace: true })
      },
      () => {},
    )
  }, [isWanted, client, navigate, to])
}

export const SignIn = () => {
  const { to = '/inbox' } = useSearch({ from: '/sign-in' })
  const router = useRouter()
  const client = useQueryClient()
  const about = useAbout()
  // The operator's link has its secret after the #, which is never sent to servers or logged.
  const [secret] = useState(() => location.hash.slice(1))
  const [email, setEmail] = useState('')
  const [isSent, setSent] = useState(false)
  const { isBusy, problem, start, end } = useAttempt(secret !== '')

  useEffect(() => {
    document.title = 'Sign in · Foyer'
  }, [])

  const enter = useCallback(
    async (proof: Proof): Promise<boolean> => {
      start()
      try {
        const session = await request<Session>('POST', '/sign-in', { body: proof })
        client.clear()
        client.setQueryData(keys.session, session)
        router.history.replace(to)
        return true
      } catch (error) {
        end(problemOfProof(proof, error))
        return false
      }
    },
    [client, router, to, start, end],
  )
  useLinkSecret(secret, enter)
  useValidSession(!secret, to)

  const send = async (): Promise<boolean> => {
    start()
    try {
      await request('POST', '/sign-in/code', { body: { email: email.trim() } })
      setSent(true)
      end(null)
      return true
    } catch (error) {
      const details = error instanceof ApiError ? error.details : []
      end(details.length > 0 ? 'Enter a valid email address.' : (error as Error).message)
      return false
    }
  }

  if (secret && isBusy)
    return (
      <main className="sign-in" id="main">
        <p className="row text-soft" role="status">
          <Spinner /> Signing you in…
        </p>
      </main>
    )
  return (
    <main className="sign-in" id="main">
      <div className="sign-in__card">
        <img src={icon} alt="" className="sign-in__mark" />
        <div className="stack stack--tight">
          <h1 className="sign-in__title">{isSent ? 'Check your email' : 'Sign in to Foyer'}</h1>
          <p className="text-soft">
            {isSent ? (
              <>
                If <bdi className="text-strong">{email.trim()}</bdi> has an account, we&apos;ve sent a
                six-digit code. It works for ten minutes, in this browser. You can also open the link in the
                email.
              </>
            ) : (
              about?.sendsMail !== false && 'We’ll email you a six-digit code. No password needed.'
            )}
          </p>
        </div>
        {problem && <Banner tone="danger">{problem}</Banner>}
        {isSent ? (
          <CodeForm
            isBusy={isBusy}
            onCode={(code) => enter({ email: email.trim(), code })}
            onResend={send}
            onBack={() => {
              setSent(false)
              end(null)
            }}
          />
        ) : about?.sendsMail === false ? (
          <NoMail />
        ) : (
          <EmailForm email={email} isBusy={isBusy} onChange={setEmail} onSend={() => void send()} />
        )}
        {about?.isDemo && about.sendsMail && (
          <Banner>
            This is the demo. Without a mail server, codes go to the sandbox&apos;s mailbox: open the sandbox
            link that Foyer printed when it started.
          </Banner>
        )}
      </div>
    </main>
  )
}

const EmailForm = ({
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
      label="Email"
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
      Email me a code
    </Button>
  </form>
)

const NoMail = () => (
  <Banner>
    This server can’t send email, so sign-in codes are unavailable. Ask whoever runs it for a sign-in link,
    which they create with <code className="text-mono">foyer sign-in-link --email you@example.com</code>.
  </Banner>
)

/** Takes the code, typed or pasted with other text, and submits it as soon as it is complete. */
const CodeForm = ({
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
          label="Six-digit code"
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
        Sign in
      </Button>
      <div className="row row--between row--wrap">
        <Button variant="ghost" onClick={onBack}>
          Use another email
        </Button>
        <Button variant="ghost" disabled={!canResend || isBusy} onClick={() => void resend()}>
          Send a new code
        </Button>
      </div>
    </form>
  )
}
