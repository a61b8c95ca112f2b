import { useIsMutating, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowLeft, FileText } from 'lucide-react'
import { type RefObject, useId, useMemo, useRef, useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import { refreshConversation } from '../../state/conversations.ts'
import { putHeld } from '../../state/held.ts'
import { useApi, useSession } from '../../state/session.tsx'
import { parameterLabels, problemOfValue } from '../../state/template-text.ts'
import { byName, preferredVersion, templatesQuery } from '../../state/templates.ts'
import { putMessage } from '../../state/timeline.ts'
import type { ConversationDetails, HeldMessage, Message, RichTemplate } from '../../state/types.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { FieldProblems, FormProblem, Select, TextField } from '../../ui/field.tsx'
import { Picker } from '../../ui/picker.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { TemplateBubble } from '../../ui/template-bubble.tsx'
import { templateItem } from '../../ui/template-item.tsx'
import { t } from '../../words/t.ts'
import {
  HeaderFields,
  type HeaderText,
  hasHeaderFields,
  headerFieldNames,
  headerTextOf,
  headerValues,
} from './header-fields.tsx'

type Given = NonNullable<HeldMessage['template']>
/** In a conversation. */
type Within = {
  details: ConversationDetails
  /** The newest message that the person has seen. */
  seenId: RefObject<string | null>
  /** A template that was taken back before it was sent. */
  given: Given | null
  start?: undefined
}
/** To somebody, whether or not there is a conversation. `from`: the channel account. */
type Start = {
  start: { to: string; from: string; name?: string; onStarted: (conversationId: string) => void }
  details?: undefined
  seenId?: undefined
  given?: null
}
type Place = Within | Start
type Props = Place & { onClose: () => void }

const SEND_KEY = ['send template']

/**
 * Picks an approved template, fills it in with a live preview, and sends it. One dialog for both
 * steps: closing a first one would take focus away from the second.
 */
const TemplatePicker = ({ onClose, ...place }: Props) => {
  const { details, start, given } = place
  const api = useApi()
  const { data, error, refetch } = useQuery(templatesQuery(api))
  const [name, setName] = useState<string | null>(given?.templateName ?? null)
  const [isCollision, setCollision] = useState(false)
  const account = start?.from ?? details?.conversation.channelAccountId
  const usable = useMemo(
    () =>
      (data?.templates ?? []).filter(
        ({ isSendable, sendingNumbers }) =>
          isSendable && (!account || sendingNumbers.some(({ id }) => id === account)),
      ),
    [data, account],
  )
  const versions = usable.filter((template) => template.name === name)
  const groups = useMemo(() => byName(usable), [usable])

  const formId = useId()
  const isSending = useIsMutating({ mutationKey: SEND_KEY }) > 0
  const isFilling = versions.length > 0

  return (
    <Dialog
      title={versions[0]?.name ?? t`Send a template`}
      isOpen
      onClose={onClose}
      isWide
      foot={
        isFilling && (
          <>
            <Button variant="ghost" icon={ArrowLeft} onClick={() => setName(null)}>
              {t`Choose another`}
            </Button>
            <Button
              variant="primary"
              type="submit"
              form={formId}
              isBusy={isSending}
              autoFocus={!hasFields(versions[0]!)}
            >
              {isCollision ? t`Send anyway` : t`Send`}
            </Button>
          </>
        )
      }
    >
      {isFilling ? (
        <Fill
          key={name}
          formId={formId}
          versions={versions}
          place={place}
          isCollision={isCollision}
          given={given?.templateName === name ? given : null}
          onCollision={() => setCollision(true)}
          onClose={onClose}
        />
      ) : error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton lines={5} />
      ) : groups.length === 0 ? (
        <EmptyState
          icon={FileText}
          title={t`No approved templates`}
          action={<ButtonLink to="/templates">{t`View templates`}</ButtonLink>}
        >
          {t`Create templates in WhatsApp Manager. Approved ones will appear here.`}
        </EmptyState>
      ) : (
        <Picker
          isWide
          label={t`Templates`}
          placeholder={t`Search by name or text…`}
          items={groups.map(templateItem)}
          onPick={setName}
        />
      )}
    </Dialog>
  )
}
export default TemplatePicker

const hasFields = (template: RichTemplate): boolean =>
  hasHeaderFields(template) || parameterLabels(template).length > 0

/** Sends it in its place. */
const useSendTemplate = ({
  place,
  isCollision,
  chosenOf,
  onCollision,
  onClose,
}: {
  place: Place
  isCollision: boolean
  chosenOf: () => Given
  onCollision: () => void
  onClose: () => void
}) => {
  const { api, session } = useSession()
  const client = useQueryClient()
  const key = useRef(crypto.randomUUID?.() ?? String(Math.random()))
  return useMutation({
    mutationKey: SEND_KEY,
    mutationFn: async () => {
      const chosen = chosenOf()
      const options = { idempotencyKey: key.current }
      if (place.start) {
        const { to, from, name, onStarted } = place.start
        const sent = await api.post<{ conversationId: string }>(
          '/whatsapp/messages',
          { to, from, name, ...chosen },
          options,
        )
        return () => onStarted(sent.conversationId)
      }
      const { id } = place.details.conversation
      const undoSeconds = session.account.undoSeconds
      const answer = await api.post<{ message: Message } | { held: HeldMessage }>(
        `/conversations/${id}/template`,
        { ...chosen, undoSeconds, ...(!isCollision && { seenMessageId: place.seenId.current }) },
        options,
      )
      return () => {
        if ('held' in answer) void putHeld(client, api.workspaceId, answer.held)
        else putMessage(client, api.workspaceId, answer.message)
        refreshConversation(client, api.workspaceId, id)
      }
    },
    onSuccess: (show) => {
      onClose()
      show()
    },
    onError: (error) => {
      if ((error as ApiError).code === 'REPLY_COLLISION') onCollision()
      // A new body needs a new key; after no response, the key stays the same.
      if ((error as ApiError).status >= 400 && (error as ApiError).status < 500)
        key.current = crypto.randomUUID?.() ?? String(Math.random())
    },
  })
}

const Fill = ({
  formId,
  versions,
  place,
  isCollision,
  given: taken,
  onCollision,
  onClose,
}: {
  formId: string
  versions: RichTemplate[]
  place: Place
  /** The person knows that somebody else has replied. */
  isCollision: boolean
  given: Given | null
  onCollision: () => void
  onClose: () => void
}) => {
  const [language, setLanguage] = useState(() => taken?.language ?? preferredVersion(versions).language)
  const template = versions.find((version) => version.language === language) ?? versions[0]!
  const labels = parameterLabels(template)
  const isHeaderFirst = hasHeaderFields(template)
  const [values, setValues] = useState<string[]>(taken?.parameters ?? [])
  const [header, setHeader] = useState<HeaderText>(() => (taken ? headerTextOf(taken) : {}))
  const [isTried, setTried] = useState(false)
  const given = labels.map((_, index) => values[index] ?? '')
  const problems = given.map(problemOfValue)

  const send = useSendTemplate({
    place,
    isCollision,
    chosenOf: () => ({
      templateName: template.name,
      language: template.language,
      parameters: given,
      ...headerValues(template, header),
    }),
    onCollision,
    onClose,
  })
  const submit = (): void => {
    setTried(true)
    if (problems.every((problem) => problem === null)) send.mutate()
  }

  return (
    <div className="grid-2">
      <form
        id={formId}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <FieldProblems details={(send.error as ApiError | null)?.details}>
          <FormProblem error={send.error} fields={[...headerFieldNames(template), 'parameters']} />
          {versions.length > 1 && (
            <Select
              label={t`Language`}
              value={language}
              options={versions.map((version) => ({ value: version.language, label: version.language }))}
              onChange={(event) => setLanguage(event.target.value)}
            />
          )}
          <HeaderFields
            template={template}
            text={header}
            hasFocus={isHeaderFirst || labels.length === 0}
            onChange={setHeader}
          />
          {labels.map((label, index) => (
            <TextField
              key={label}
              label={label}
              name={`parameters[${index}]`}
              autoFocus={index === 0 && !isHeaderFirst}
              placeholder={template.exampleValues[index]}
              value={given[index]}
              problem={isTried ? (problems[index] ?? undefined) : undefined}
              onChange={(event) =>
                setValues(labels.map((_, at) => (at === index ? event.target.value : (given[at] ?? ''))))
              }
            />
          ))}
          {!hasFields(template) && <p className="text-soft">{t`No values to fill in.`}</p>}
        </FieldProblems>
      </form>
      <TemplateBubble template={template} values={given} />
    </div>
  )
}
