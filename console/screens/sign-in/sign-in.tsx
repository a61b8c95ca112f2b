import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import icon from '../../icon.svg'
import { ApiError, request } from '../../state/api.ts'
import { keys } from '../../state/query-keys.ts'
import type { About, SecondFactorNeeded, Session } from '../../state/types.ts'
import { Banner } from '../../ui/banner.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import '../../ui/sign-in.css'
import { rich, t } from '../../words/t.ts'
import { CodeForm, EmailForm, NoMail } from './code-forms.tsx'
import { ProviderButton, problemWords } from './provider-button.tsx'

const SecondFactor = lazy(() => import('./second-factor.tsx'))

const UNKNOWN: About = { isDemo: false, sendsMail: true, provider: null }

/** Which ways to sign in there are; null until they are known. */
const useAbout = (): About | null => {
  const [about, setAbout] = useState<About | null>(null)
  useEffect(() => {
    request<About>('GET', '/about').then(setAbout, () => setAbout(UNKNOWN))
  }, [])
  return about
}

type Proof = { email: string; code: string } | { secret: string }

const problemOfProof = (proof: Proof, error: unknown): string =>
  'secret' in proof && error instanceof ApiError && error.status < 500 && error.status > 0
    ? t`This link has expired or was already used. Request a new one, or sign in with a code.`
    : (error as Error).message

/** One request at a time, and why the last one failed. */
const useAttempt = (isStarted: boolean, before: string | null) => {
  const [isBusy, setBusy] = useState(isStarted)
  const [problem, setProblem] = useState(before)
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
  const { to = '/inbox', problem: returned } = useSearch({ from: '/sign-in' })
  const router = useRouter()
  const client = useQueryClient()
  const about = useAbout()
  // The operator's link has its secret after the #, which is never sent to servers or logged.
  const [secret] = useState(() => location.hash.slice(1))
  const [email, setEmail] = useState('')
  const [isSent, setSent] = useState(false)
  /** The code or link was right, and a passkey has to follow. */
  const [needed, setNeeded] = useState<SecondFactorNeeded | null>(null)
  const { isBusy, problem, start, end } = useAttempt(secret !== '', problemWords(returned))

  useEffect(() => {
    document.title = t`Sign in · Foyer`
  }, [])

  const arrive = useCallback(
    (session: Session): void => {
      client.clear()
      client.setQueryData(keys.session, session)
      router.history.replace(to)
    },
    [client, router, to],
  )
  const enter = useCallback(
    async (proof: Proof): Promise<boolean> => {
      start()
      try {
        const answer = await request<Session | SecondFactorNeeded>('POST', '/sign-in', { body: proof })
        if ('needs' in answer) {
          setNeeded(answer)
          end(null)
        } else arrive(answer)
        return true
      } catch (error) {
        end(problemOfProof(proof, error))
        return false
      }
    },
    [arrive, start, end],
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
      end(details.length > 0 ? t`Enter a valid email address.` : (error as Error).message)
      return false
    }
  }

  if (secret && isBusy)
    return (
      <main className="sign-in" id="main">
        <p className="row text-soft" role="status">
          <Spinner /> {t`Signing you in…`}
        </p>
      </main>
    )
  if (needed)
    return (
      <Card>
        <Suspense>
          <SecondFactor
            {...needed}
            onSession={arrive}
            onStartOver={(problem) => {
              setNeeded(null)
              setSent(false)
              end(problem)
            }}
          />
        </Suspense>
      </Card>
    )
  return (
    <Card>
      <div className="stack stack--tight">
        <h1 className="sign-in__title">{isSent ? t`Check your email` : t`Sign in to Foyer`}</h1>
        {isSent ? <CodeSent email={email.trim()} /> : about && <HowTo {...about} />}
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
      ) : (
        about && (
          <Ways about={about} to={to} isBusy={isBusy} onProblem={end}>
            <EmailForm email={email} isBusy={isBusy} onChange={setEmail} onSend={() => void send()} />
          </Ways>
        )
      )}
      {about?.isDemo && canSendCodes(about) && (
        <Banner>
          {t`This is the demo. Without a mail server, codes go to the sandbox's mailbox: open the sandbox link that Foyer printed when it started.`}
        </Banner>
      )}
    </Card>
  )
}

const Card = ({ children }: { children: ReactNode }) => (
  <main className="sign-in" id="main">
    <div className="sign-in__card">
      <img src={icon} alt="" className="sign-in__mark" />
      {children}
    </div>
  </main>
)

const canSendCodes = ({ sendsMail, provider }: About): boolean => sendsMail && !provider?.isOnly

const CodeSent = ({ email }: { email: string }) => (
  <p className="text-soft">
    {rich`If ${<bdi className="text-strong">{email}</bdi>} has an account, we've sent a six-digit code. It works for ten minutes, in this browser. You can also open the link in the email.`}
  </p>
)

const HowTo = (about: About) => {
  const { provider } = about
  const words = !canSendCodes(about)
    ? provider && t`Use your work account.`
    : provider
      ? t`Use your work account, or a six-digit code that we email you.`
      : t`We’ll email you a six-digit code. No password needed.`
  return words && <p className="text-soft">{words}</p>
}

/** The provider's button, the email form, or both. */
const Ways = ({
  about,
  children,
  ...rest
}: {
  about: About
  to: string
  isBusy: boolean
  onProblem: (problem: string | null) => void
  children: ReactNode
}) => {
  const { provider } = about
  const hasCodes = canSendCodes(about)
  return (
    <>
      {provider && <ProviderButton {...rest} name={provider.name} isMain={!hasCodes} />}
      {provider && hasCodes && <div className="sign-in__or text-soft text-small">{t`or`}</div>}
      {hasCodes ? children : !provider && <NoMail />}
    </>
  )
}
