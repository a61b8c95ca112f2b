// When a flow starts: the event, and what has to be true of it.
import { CHANNELS } from '../../../../channels/names.ts'
import { TRIGGER_EVENTS, type Trigger } from '../../../../flow-engine/schema.ts'
import { channelName } from '../../../ui/channel-name.ts'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { Checkbox, Select, TextField } from '../../../ui/field.tsx'
import { t } from '../../../words/t.ts'
import { TRIGGER_WORDS } from '../definition/words.ts'
import { useEditor } from '../editor-context.tsx'
import { ConditionInput } from './condition-input.tsx'
import { DurationInput } from './duration-input.tsx'
import { OneInput } from './resource-inputs.tsx'
import { Rows } from './rows.tsx'

const TRIGGERS_MAX = 10

/** What a trigger needs when its event is chosen. */
const FIRST: { [on in Trigger['on']]?: Partial<Trigger> } = {
  message: { isFirst: true },
  customer_silent: { after: 'P1D' },
  team_silent: { after: 'PT4H' },
  tagged: { tagId: '' },
  field_changed: { field: '' },
}

const WITH_ACTOR: readonly Trigger['on'][] = [
  'opened',
  'reopened',
  'closed',
  'assigned',
  'tagged',
  'field_changed',
]

export const TriggersInput = ({
  value,
  onChange,
}: {
  value: Trigger[]
  onChange: (triggers: Trigger[]) => void
}) => (
  <Rows
    label={t`Starts when`}
    hint={value.length === 0 ? t`Only another flow, the API or a teammate can start it.` : undefined}
    items={value}
    keyOf={(_, at) => String(at)}
    nameOf={({ on }) => TRIGGER_WORDS[on]}
    addLabel={t`Add trigger`}
    max={TRIGGERS_MAX}
    make={(): Trigger => ({ on: 'message' })}
    onChange={onChange}
  >
    {(trigger, change) => <TriggerFields trigger={trigger} onChange={change} />}
  </Rows>
)

const TriggerFields = ({ trigger, onChange }: { trigger: Trigger; onChange: (trigger: Trigger) => void }) => {
  const { resources, definition } = useEditor()
  const { on, after, tagId, field, by, to, when, evenIfAssigned } = trigger
  const write = (part: Partial<Trigger>): void => {
    const kept = Object.entries({ ...trigger, ...part }).filter(([, value]) => value !== undefined)
    // Only optional parts can be undefined.
    onChange(Object.fromEntries(kept) as Trigger)
  }
  const isSilence = on === 'customer_silent' || on === 'team_silent'
  return (
    <>
      <Select
        label={t`Event`}
        isLabelHidden
        value={on}
        options={TRIGGER_EVENTS.map((event) => ({ value: event, label: TRIGGER_WORDS[event] }))}
        onChange={({ target }) => {
          const event = target.value as Trigger['on']
          onChange({ on: event, ...FIRST[event], ...(trigger.channels && { channels: trigger.channels }) })
        }}
      />
      {on === 'message' && <MessageFields trigger={trigger} write={write} />}
      {isSilence && (
        <DurationInput label={t`For`} value={after ?? 'P1D'} onChange={(next) => write({ after: next })} />
      )}
      {on === 'tagged' && (
        <OneInput
          label={t`Tag`}
          all={resources.tags}
          value={tagId}
          onChange={(next) => write({ tagId: next ?? '' })}
        />
      )}
      {on === 'field_changed' && (
        <TextField
          label={t`Field`}
          value={field ?? ''}
          onChange={({ target }) => write({ field: target.value })}
        />
      )}
      {on === 'assigned' && (
        <OneInput
          label={t`Assigned to`}
          empty={t`Anyone`}
          all={[{ id: 'ai', name: t`The AI agent` }, ...resources.agents]}
          value={to}
          onChange={(next) => write({ to: next })}
        />
      )}
      <fieldset className="field">
        <legend className="field__label">{t`Channels`}</legend>
        <div className="row row--wrap">
          {CHANNELS.map((channel) => {
            const chosen = trigger.channels ?? []
            return (
              <Checkbox
                key={channel}
                label={channelName(channel)}
                checked={chosen.includes(channel)}
                onChange={({ target }) => {
                  const next = target.checked ? [...chosen, channel] : chosen.filter((one) => one !== channel)
                  write({ channels: next.length > 0 ? next : undefined })
                }}
              />
            )
          })}
        </div>
        {!trigger.channels?.length && <p className="field__hint">{t`None chosen: all channels.`}</p>}
      </fieldset>
      <Disclosure title={t`More conditions`} isOpen={when !== undefined || by !== undefined}>
        {WITH_ACTOR.includes(on) && (
          <Select
            label={t`Done by`}
            value={by ?? ''}
            options={[
              { value: '', label: on === 'opened' || on === 'reopened' ? t`The customer` : t`Anyone` },
              { value: 'customer', label: t`The customer only` },
              { value: 'team', label: t`Your team only` },
              { value: 'anyone', label: t`Anyone` },
            ]}
            onChange={({ target }) => write({ by: (target.value || undefined) as Trigger['by'] })}
          />
        )}
        <ConditionInput
          label={t`And if`}
          isOptional
          value={when}
          onChange={(next) => write({ when: next })}
        />
        {definition.kind === 'dialog' && (
          <Checkbox
            label={t`Even if the conversation is assigned to a teammate`}
            checked={evenIfAssigned ?? false}
            onChange={({ target }) => write({ evenIfAssigned: target.checked || undefined })}
          />
        )}
      </Disclosure>
    </>
  )
}

const MessageFields = ({
  trigger: { isFirst, words, wordsMode, choice },
  write,
}: {
  trigger: Trigger
  write: (part: Partial<Trigger>) => void
}) => (
  <>
    <Checkbox
      label={t`Only the first message of a conversation`}
      checked={isFirst ?? false}
      onChange={({ target }) => write({ isFirst: target.checked || undefined })}
    />
    <TextField
      label={t`Keywords`}
      hint={t`Separated by commas. Leave empty for any message.`}
      defaultValue={words?.join(', ')}
      onChange={({ target }) => {
        const next = target.value
          .split(',')
          .map((word) => word.trim())
          .filter(Boolean)
        write({ words: next.length > 0 ? next : undefined })
      }}
    />
    {words && (
      <Select
        label={t`Keywords match`}
        value={wordsMode ?? 'whole'}
        options={[
          { value: 'whole', label: t`As whole words in the message` },
          { value: 'contains', label: t`Anywhere in the message` },
          { value: 'only', label: t`Only as the whole message` },
        ]}
        onChange={({ target }) => write({ wordsMode: target.value as Trigger['wordsMode'] })}
      />
    )}
    {choice !== undefined && (
      <TextField
        label={t`Button`}
        value={choice}
        onChange={({ target }) => write({ choice: target.value })}
      />
    )}
  </>
)
