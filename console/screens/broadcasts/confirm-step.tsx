import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import { useRef, useState } from 'react'
import { countOf } from '../../state/amounts.ts'
import type { ApiError } from '../../state/api.ts'
import { groupsQuery, peopleCount } from '../../state/groups.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import { languageName } from '../../state/templates.ts'
import type { Audience, Broadcast, Preview, RichTemplate } from '../../state/types.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Fact, Facts, Section } from '../../ui/page.tsx'
import { TemplateBubble } from '../../ui/template-bubble.tsx'
import { rich, t } from '../../words/t.ts'
import { type Draft, planOf, sharedValues, valuesFor } from './draft.ts'
import { useHeaderFile } from './header-file.tsx'
import { RefusalWords } from './preview-step.tsx'
import { problemOfTime, Schedule, useZone } from './schedule.tsx'
import { Step } from './step.tsx'
import { TestSend } from './test-send.tsx'
import { useFirstRecipient } from './use-first-recipient.ts'

const NAME_MAX = 120

export const ConfirmStep = ({
  draft,
  audience,
  template,
  preview,
  sendKey,
  onSent,
  onRefused,
  onChange,
  onBack,
}: {
  draft: Draft
  audience: Audience
  template: RichTemplate
  preview: Preview
  /** Stays the same as long as the broadcast does. */
  sendKey: string
  onSent: () => void
  /** What is sent next is a new request. */
  onRefused: () => void
  onChange: (change: Partial<Draft>) => void
  onBack: () => void
}) => {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const isAsked = useRef(false)
  const [isTried, setTried] = useState(false)
  const zone = useZone(draft)
  const file = useHeaderFile(draft)
  const first = useFirstRecipient(draft)
  const values = sharedValues(draft, template)
  const send = useMutation({
    mutationFn: () =>
      api.post<{ broadcast: Broadcast }>(
        '/broadcasts',
        {
          audience,
          templateName: template.name,
          language: template.language,
          parameters: values,
          ...planOf(draft, template, zone),
        },
        { idempotencyKey: sendKey },
      ),
    onSuccess: ({ broadcast }) => {
      onSent()
      client.setQueryData(keys.broadcast(api.workspaceId, broadcast.id), { broadcast })
      // A retry can return the state before completion, and no event follows that would refresh it.
      void client.invalidateQueries({ queryKey: keys.broadcast(api.workspaceId, broadcast.id) })
      void client.invalidateQueries({ queryKey: keys.broadcastList(api.workspaceId) })
      void navigate({
        to: '/broadcasts/$broadcastId',
        params: { broadcastId: broadcast.id },
        replace: true,
      })
    },
    onError: (error) => {
      isAsked.current = false
      const { status } = error as ApiError
      // After a refusal the next try is a new request; after no response it is the same one.
      if (status >= 400 && status < 500 && status !== 409) onRefused()
    },
  })
  const isLost = send.error !== null && ((send.error as ApiError).status ?? 0) === 0
  return (
    <Step
      title={draft.sendAt === '' ? t`Send now?` : t`Schedule this broadcast?`}
      about={t`You can pause or cancel it while it goes out. Messages that were sent can’t be taken back.`}
      onBack={send.isPending ? undefined : onBack}
      next={
        <Button
          variant="primary"
          icon={Send}
          isBusy={send.isPending}
          disabled={send.isSuccess}
          onClick={() => {
            setTried(true)
            if (isAsked.current || problemOfTime(draft.sendAt, zone)) return
            isAsked.current = true
            send.mutate()
          }}
        >
          {isLost
            ? t`Try again`
            : draft.sendAt === ''
              ? t`Send to ${peopleCount(preview.reachable)}`
              : t`Schedule for ${peopleCount(preview.reachable)}`}
        </Button>
      }
      hint={send.isPending ? t`Sending…` : isLost ? t`Trying again won’t send anything twice.` : null}
    >
      {send.error && (
        <Banner tone="danger">
          <RefusalWords error={send.error} draft={draft} />
        </Banner>
      )}
      <div className="split">
        <Section>
          <p className="row row--baseline">
            <span className="big-number">{countOf(preview.reachable)}</span>
            {preview.reachable === 1
              ? t`person will receive this message`
              : t`people will receive this message`}
          </p>
          <div className="stack stack--fields">
            <TextField
              label={t`Name (optional)`}
              hint={t`Only your team sees it.`}
              maxLength={NAME_MAX}
              value={draft.name}
              onChange={({ target }) => onChange({ name: target.value })}
            />
            <Schedule draft={draft} zone={zone} isTried={isTried} onChange={onChange} />
          </div>
          <Facts>
            <Fact name={t`Audience`}>
              <AudienceWords draft={draft} />
            </Fact>
            <Fact name={t`Skipped`}>{countOf(preview.total - preview.reachable)}</Fact>
            <Fact name={t`Template`}>{template.name}</Fact>
            <Fact name={t`Language`}>{languageName(template.language)}</Fact>
            <Fact name={t`Sent from`}>
              {template.sendingNumbers.length === 1 ? (
                <span className="numeric">{template.sendingNumbers[0]!.address}</span>
              ) : (
                t`the number each conversation is on`
              )}
            </Fact>
          </Facts>
        </Section>
        <div className="stack">
          <TemplateBubble
            template={template}
            values={firstValues(draft) ?? valuesFor(draft, template, first)}
            file={file}
          />
          <TestSend draft={draft} template={template} parameters={firstValues(draft) ?? values} isReady />
        </div>
      </div>
    </Step>
  )
}

const firstValues = ({ way, table }: Draft): string[] | undefined =>
  way === 'recipients' ? table.rows[0]?.parameters : undefined

const AudienceWords = ({ draft }: { draft: Draft }) => {
  const api = useApi()
  const { data } = useQuery({ ...groupsQuery(api), enabled: draft.way === 'group' })
  switch (draft.way) {
    case 'group':
      return <bdi>{data?.groups.find(({ id }) => id === draft.groupId)?.name ?? t`A group`}</bdi>
    case 'contacts':
      return <>{rich`${peopleCount(draft.contacts.length)} selected`}</>
    case 'filter':
      return <>{t`Contacts matching a filter`}</>
    default:
      return <>{rich`A list of ${countOf(draft.table.rows.length)} rows`}</>
  }
}
