// Signing in through the operator's identity provider: this page sends the browser there, and tells what went wrong.
import { useEffect, useState } from 'react'
import { request } from '../../state/api.ts'
import type { OidcProblem, OidcStarted } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { rich, t } from '../../words/t.ts'

const WORDS: Record<OidcProblem, string> = {
  expired: t`This sign-in took too long, or was already used. Try again.`,
  denied: t`You canceled, or your identity provider doesn’t let you use Foyer. Try again, or ask whoever manages your account there.`,
  unavailable: t`Your identity provider isn’t responding. Try again in a few minutes.`,
  invalid: t`We couldn’t verify the response of your identity provider. Try again. If it keeps happening, tell whoever runs Foyer.`,
  email_unverified: t`Your identity provider doesn’t say that your email address is verified. Verify it there, then sign in again.`,
  domain_not_allowed: t`This email address can’t be used to sign in here. Use your work account, or ask whoever runs Foyer.`,
  no_account: t`Nobody here has the email address of this account. Ask an admin to add it, then sign in again.`,
  other_subject: t`Your email address is linked to another account at your identity provider. Use that one, or ask whoever runs Foyer to unlink it.`,
  too_many: t`Too many attempts. Wait a minute, then try again.`,
  failed: t`Something went wrong on our side. Try again in a minute.`,
}

const isProblem = (text: string): text is OidcProblem => Object.hasOwn(WORDS, text)

export const problemWords = (problem: string | undefined): string | null =>
  problem !== undefined && isProblem(problem) ? WORDS[problem] : null

export const ProviderButton = ({
  name,
  isMain,
  to,
  isBusy,
  onProblem,
}: {
  name: string
  /** Whether it is the only way to sign in. */
  isMain: boolean
  to: string
  isBusy: boolean
  onProblem: (problem: string | null) => void
}) => {
  const [isLeaving, setLeaving] = useState(false)
  // Going back from the provider shows this page as it was left.
  useEffect(() => {
    const onShow = ({ persisted }: PageTransitionEvent): void => {
      if (!persisted) return
      setLeaving(false)
      onProblem(null)
    }
    addEventListener('pageshow', onShow)
    return () => removeEventListener('pageshow', onShow)
  }, [onProblem])
  const leave = async (): Promise<void> => {
    setLeaving(true)
    onProblem(null)
    try {
      const { url } = await request<OidcStarted>('POST', '/sign-in/oidc', { body: { to } })
      location.assign(url)
    } catch (error) {
      setLeaving(false)
      onProblem((error as Error).message)
    }
  }
  return (
    <Button
      variant={isMain ? 'primary' : 'secondary'}
      size="large"
      isWide
      isBusy={isLeaving}
      disabled={isBusy}
      autoFocus={isMain}
      onClick={() => void leave()}
    >
      {rich`Continue with ${name}`}
    </Button>
  )
}
