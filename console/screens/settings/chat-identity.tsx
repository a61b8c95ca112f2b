import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { Suspense, useState } from 'react'
import { dateTimeOf } from '../../state/dates.ts'
import { useApi } from '../../state/session.tsx'
import type { ChatBox } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { Switch } from '../../ui/field.tsx'
import { ConfirmDialog } from '../../ui/lazy-dialogs.ts'
import { Section } from '../../ui/page.tsx'
import { ShownSecret } from '../../ui/shown-secret.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { rich, t } from '../../words/t.ts'
import { useSettingsChanged } from './use-setting.ts'

const OVERLAP_HOURS = 24

/** The secret with which the site's server says who is signed in. */
export const ChatIdentity = ({ channelId, chatBox }: { channelId: string; chatBox: ChatBox }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const [asked, setAsked] = useState<'rotate' | 'remove' | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const path = `/channels/${channelId}/identity-secret` as const
  const create = async () => {
    const answer = await api.post<{ secret: string }>(path, { overlapHours: OVERLAP_HOURS })
    setSecret(answer.secret)
    void changed()
  }
  const start = useMutation({ mutationFn: create, onError: toastError })
  const require = useMutation({
    mutationFn: (requiresIdentity: boolean) =>
      api.patch(`/channels/${channelId}/chat-box`, { requiresIdentity }),
    onSuccess: () => changed(),
    onError: toastError,
  })
  const { isSet, formerUntil } = chatBox.identity
  return (
    <Section
      title={t`Signed-in visitors`}
      about={t`Your server signs who is signed in, so that you can trust a visitor’s name and email.`}
    >
      {formerUntil !== null && Date.parse(formerUntil) > Date.now() && (
        <p>{rich`The previous secret works until ${dateTimeOf(formerUntil)}.`}</p>
      )}
      {isSet && (
        <Switch
          label={t`Only open the chat to signed-in visitors`}
          checked={chatBox.settings.requiresIdentity}
          disabled={require.isPending}
          onChange={({ target }) => require.mutate(target.checked)}
        />
      )}
      <div className="row">
        {isSet ? (
          <>
            <Button icon={KeyRound} onClick={() => setAsked('rotate')}>
              {t`Rotate secret…`}
            </Button>
            <Button variant="ghost" onClick={() => setAsked('remove')}>
              {t`Remove…`}
            </Button>
          </>
        ) : (
          <Button icon={KeyRound} isBusy={start.isPending} onClick={() => start.mutate()}>
            {t`Create secret`}
          </Button>
        )}
      </div>
      <Suspense>
        {secret !== null && (
          <ShownSecret
            title={t`Your identity secret`}
            label={t`Secret`}
            secret={secret}
            onClose={() => setSecret(null)}
          >
            <p className="text-soft">{t`Keep it on your server. Never put it on a page.`}</p>
          </ShownSecret>
        )}
        {asked === 'rotate' && (
          <ConfirmDialog
            title={t`Rotate the secret?`}
            about={t`The current secret keeps working for ${OVERLAP_HOURS} hours.`}
            confirmLabel={t`Rotate secret`}
            isOpen
            onClose={() => setAsked(null)}
            onConfirm={create}
          />
        )}
        {asked === 'remove' && (
          <ConfirmDialog
            title={t`Remove the secret?`}
            about={t`Signed identities are refused immediately, and every visitor is unknown.`}
            confirmLabel={t`Remove secret`}
            isDanger
            isOpen
            onClose={() => setAsked(null)}
            onConfirm={async () => {
              await api.delete(path)
              await changed()
              toast(t`Secret removed`)
            }}
          />
        )}
      </Suspense>
    </Section>
  )
}
