// Shows two contacts side by side, and merges one into the other with the values that were chosen.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowLeftRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { dateOf } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { Profile } from '../../state/types.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { rich, t } from '../../words/t.ts'
import { Channels, isPhoneVerified, Unverified, Who } from './contact-who.tsx'
import { rowsOf, UNDO_DAYS, type Value } from './merge-rows.ts'
import { useUndoMerge } from './use-undo-merge.ts'

type Contact = Profile['contact']

const useProfile = (id: string) => {
  const api = useApi()
  return useQuery({
    queryKey: keys.contact(api.workspaceId, id),
    queryFn: ({ signal }) => api.get<Profile>(`/contacts/${id}`, {}, signal),
  })
}

/** `onMerged`: who is left. */
const MergeContacts = ({
  contactId,
  otherId,
  onClose,
  onMerged,
}: {
  contactId: string
  otherId: string
  onClose: () => void
  onMerged?: (keptId: string) => void
}) => {
  const api = useApi()
  const client = useQueryClient()
  const undo = useUndoMerge()
  const [isSwapped, setSwapped] = useState(false)
  const [take, setTake] = useState<ReadonlySet<string>>(new Set())
  const [one, other] = [useProfile(contactId), useProfile(otherId)]
  const pair = [one.data?.contact, other.data?.contact]
  const [kept, gone] = isSwapped ? pair.toReversed() : pair
  const merge = useMutation({
    mutationFn: ({ keptId, goneId }: { keptId: string; goneId: string }) =>
      api.post<{ merge: { id: string } }>(`/contacts/${keptId}/merges`, {
        contactId: goneId,
        take: [...take],
      }),
    onSuccess: async ({ merge: { id } }, { keptId }) => {
      onMerged?.(keptId)
      onClose()
      toast(t`Contacts merged`, {
        action: { label: t`Undo`, run: () => undo.mutate({ contactId: keptId, id }) },
      })
      await client.invalidateQueries({ queryKey: keys.workspace(api.workspaceId) })
    },
    onError: toastError,
  })
  const swap = () => {
    setSwapped(!isSwapped)
    setTake(new Set())
  }
  return (
    <Dialog
      title={t`Merge contacts`}
      about={t`Everything of both is kept together: conversations, notes, tags, groups and fields. You can undo this for ${UNDO_DAYS} days.`}
      isOpen
      isWide
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button
            variant="primary"
            disabled={!kept || !gone}
            isBusy={merge.isPending}
            onClick={() => kept && gone && merge.mutate({ keptId: kept.id, goneId: gone.id })}
          >
            {t`Merge contacts`}
          </Button>
        </>
      }
    >
      {kept && gone ? (
        <Comparison kept={kept} gone={gone} take={take} onTake={setTake} onSwap={swap} />
      ) : one.error || other.error ? (
        <LoadProblem
          error={one.error ?? other.error}
          onRetry={() => void Promise.all([one.refetch(), other.refetch()])}
        />
      ) : (
        <Skeleton lines={6} label={t`Loading contacts`} />
      )}
    </Dialog>
  )
}
export default MergeContacts

const Comparison = ({
  kept,
  gone,
  take,
  onTake,
  onSwap,
}: {
  kept: Contact
  gone: Contact
  take: ReadonlySet<string>
  onTake: (take: ReadonlySet<string>) => void
  onSwap: () => void
}) => (
  <div className="stack">
    <div className="compare">
      <Head contact={kept} words={t`Stays, with its id and link`} />
      <Head contact={gone} words={t`Is merged, and then gone`} />
      {rowsOf(kept, gone).map(({ part, label, values }) => (
        <Row
          key={part}
          {...{ part, label, values }}
          contacts={[kept, gone]}
          isTaken={take.has(part)}
          onTake={(isTaken) => {
            const next = new Set(take)
            if (isTaken) next.add(part)
            else next.delete(part)
            onTake(next)
          }}
        />
      ))}
    </div>
    <div>
      <Button size="small" icon={ArrowLeftRight} onClick={onSwap}>
        {t`Swap`}
      </Button>
    </div>
    {!gone.emailVerified && gone.email && (
      <Banner tone="warn">
        {rich`${<bdi>{gone.name}</bdi>} only typed ${<bdi>{gone.email}</bdi>}, which proves nothing. Only merge if you’re sure that both are the same person.`}
      </Banner>
    )}
    {kept.channels.includes('web') && gone.channels.includes('web') && (
      <Banner tone="warn">
        {t`Both used the web chat. After the merge, each of their browsers shows the messages of both.`}
      </Banner>
    )}
  </div>
)

const Head = ({ contact, words }: { contact: Contact; words: string }) => (
  <div className="compare__head">
    <Who id={contact.id} name={contact.name} />
    <span className="text-soft text-small">{words}</span>
    <span className="row row--wrap text-soft text-small">
      <Channels channels={contact.channels} />
      {contact.conversationCount === 1 ? t`1 conversation` : t`${contact.conversationCount} conversations`}
    </span>
    <span className="text-soft text-small">{rich`First contact: ${dateOf(contact.firstContactAt)}`}</span>
  </div>
)

/** Only where both have a value, and another one, is there a choice. */
const Row = ({
  part,
  label,
  values,
  contacts,
  isTaken,
  onTake,
}: {
  part: string
  label: string
  values: [Value, Value]
  contacts: [Contact, Contact]
  isTaken: boolean
  onTake: (isTaken: boolean) => void
}) => {
  const isChoice = values.every((value) => value !== null) && values[0] !== values[1]
  return (
    <fieldset style={{ display: 'contents' }}>
      <legend className="hidden-visually">{label}</legend>
      <span className="compare__name" aria-hidden>
        <bdi>{label}</bdi>
      </span>
      {values.map((value, index) => (
        <Side
          key={contacts[index]!.id}
          choice={
            isChoice && {
              name: part,
              isChosen: isTaken === (index === 1),
              onChoose: () => onTake(index === 1),
            }
          }
        >
          <Shown part={part} value={value} contact={contacts[index]!} />
        </Side>
      ))}
    </fieldset>
  )
}

const Side = ({
  choice,
  children,
}: {
  choice: { name: string; isChosen: boolean; onChoose: () => void } | false
  children: ReactNode
}) =>
  choice ? (
    <label className="compare__value">
      <input type="radio" name={choice.name} checked={choice.isChosen} onChange={choice.onChoose} />
      <span>{children}</span>
    </label>
  ) : (
    <span className="compare__value">
      <span>{children}</span>
    </span>
  )

const Shown = ({ part, value, contact }: { part: string; value: Value; contact: Contact }) => {
  if (value === null) return <span className="text-soft">–</span>
  if (part === 'email')
    return (
      <>
        <bdi>{String(value)}</bdi> {!contact.emailVerified && <Unverified isPlain />}
      </>
    )
  if (part === 'phone')
    return (
      <>
        <bdi className="numeric">{String(value)}</bdi>{' '}
        {!isPhoneVerified(contact) && <Unverified of="phone" isPlain />}
      </>
    )
  return <bdi>{typeof value === 'boolean' ? (value ? t`yes` : t`no`) : String(value)}</bdi>
}
