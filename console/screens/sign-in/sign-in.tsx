import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { type ClipboardEvent, type FormEvent, useCallback, useEffect, useRef, useState } from 'react'
import icon from '../../icon.svg'
import { ApiError, request } from '../../state/api.ts'
import { keys } from '../../state/query-keys.ts'
import type { Session } from '../../state/types.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Spinner } from '../../ui/spinner.tsx'

const CODE_LENGTH = 6
const RESEND_AFTER_MS = 30_000

type About = { isDemo: boolean; sendsMail: boolean }

/** Where the demo's codes arrive. Returns nothing outside the demo. */
const useAbout = (): About | null => {
  const [about, setAbout] = useState<About | null>(null)
  useEffect(() => {
    request<About>('GET', '/about').then(setAbout, () => {})
  }, [])
  return about
}

export const SignIn = () => {
  const { to } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  const router = useRouter()
  const client = useQueryClient()
  const about = useAbout()
  // The operator's link has its secret after the #, which is never sent to servers or logged.
  const [secret] = useState(() => location.hash.slice(1))
  const [email, setEmail] = useState('')
  const [isSent, setSent] = useState(false)
  const [code, setCode] = useState('')
  const [isBusy, setBusy] = useState(secret !== '')
  const [problem, setProblem] = useState<string | null>(null)
  const [canResend, setCanResend] = useState(false)
  const field = useRef<HTMLInputElement>(null)

  useEffect(() => {
    document.title = 'Sign in · Foyer'
  }, [])

  const enter = useCallback(
    async (proof: { email: string; code: string } | { secret: string }) => {
      setBusy(true)
      setProblem(null)
      try {
        const session = await request<Session>('POST', '/sign-in', { body: proof })
        client.clear()
        client.setQueryData(keys.session, session)
        router.history.replace(to ?? '/inbox')
      } catch (error) {
        setBusy(false)
        setCode('')
        setProblem(
          'secret' in proof && error instanceof ApiError && error.status < 500 && error.status > 0
            ? 'This link has expired or was already used. Request a new one, or sign in with a code.'
            : (error as Error).message,
        )
        field.current?.focus()
      }
    },
    [client, router, to],
  )

  // Opening such a link on this page only changes the part after the #, so nothing reloads.
  useEffect(() => {
    const onHash = (): void => {
      if (location.hash) location.reload()
    }
    addEventListener('hashchange', onHash)
    return () => removeEventListener('hashchange', onHash)
  }, [])

  const tried = useRef(false)
  useEffect(() => {
    if (!secret || tried.current) return
    tried.current = true
    // The secret must not stay in the URL or the history.
    history.replaceState(history.state, '', location.pathname + location.search)
    void enter({ secret })
  }, [secret, enter])

  // A valid session doesn't need to be replaced.
  useEffect(() => {
    if (secret) return
    request<Session>('GET', '/session').then(
      (session) => {
        client.setQueryData(keys.session, session)
        void navigate({ to: to ?? '/inbox', replace: true })
      },
      () => {},
    )
  }, [secret, client, navigate, to])

  useEffect(() => {
    if (!isSent) return
    setCanResend(false)
    const timer = setTimeout(() => setCanResend(true), RESEND_AFTER_MS)
    return () => clearTimeout(timer)
  }, [isSent])

  const send = async (event?: FormEvent) => {
    event?.preventDefault()
    setBusy(true)
    setProblem(null)
    try {
      await request('POST', '/sign-in/code', { body: { email: email.trim() } })
      setSent(true)
      setTimeout(() => field.current?.focus())
    } catch (error) {
      const details = error instanceof ApiError ? error.details : []
      setProblem(details.length > 0 ? 'Enter a valid email address.' : (error as Error).message)
    } finally {
      setBusy(false)
    }
  }

  const write = (text: string) => {
    const digits = text.replace(/\D/g, '').slice(0, CODE_LENGTH)
    setCode(digits)
    if (digits.length === CODE_LENGTH && !isBusy) void enter({ email: email.trim(), code: digits })
  }
  const paste = (event: ClipboardEvent) => {
    const digits = event.clipboardData.getData('text').replace(/\D/g, '')
    if (digits.length < CODE_LENGTH) return
    event.preventDefault()
    write(digits)
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
          <form
            className="stack"
            onSubmit={(event) => {
              event.preventDefault()
              if (code.length === CODE_LENGTH) void enter({ email: email.trim(), code })
            }}
          >
            <div className="code">
              <TextField
                ref={field}
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
              <Button
                variant="ghost"
                onClick={() => {
                  setSent(false)
                  setProblem(null)
                }}
              >
                Use another email
              </Button>
              <Button variant="ghost" disabled={!canResend || isBusy} onClick={() => void send()}>
                Send a new code
              </Button>
            </div>
          </form>
        ) : about?.sendsMail === false ? (
          <Banner>
            This server can’t send email, so sign-in codes are unavailable. Ask whoever runs it for a sign-in
            link, which they create with{' '}
            <code className="text-mono">foyer sign-in-link --email you@example.com</code>.
          </Banner>
        ) : (
          <form className="stack" onSubmit={send} noValidate>
            <TextField
              label="Email"
              type="email"
              name="email"
              autoComplete="email"
              autoFocus
              required
              value={email}
              onChange={(event) => setEmail(event.target.value)}
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
