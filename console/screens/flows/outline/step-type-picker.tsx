// Chooses what a new step does.
import type { StepType } from '../../../../flow-engine/schema.ts'
import { Picker } from '../../../ui/picker.tsx'
import { t } from '../../../words/t.ts'
import { STEP_TYPES } from '../definition/step-types.ts'

const GROUPS = [t`Messages`, t`Decisions`, t`Data`, t`Conversation`] as const

const ITEMS = GROUPS.flatMap((group) =>
  Object.entries(STEP_TYPES).flatMap(([id, look]) => {
    if (look.group !== group) return []
    const { name, about, icon: Icon } = look
    return [
      {
        id,
        text: `${name} ${about}`,
        group,
        content: (
          <>
            <Icon size={16} aria-hidden />
            {name}
          </>
        ),
        hint: about,
      },
    ]
  }),
)

/** At the bottom of the page, only its search field would be in view. */
const showWhole = (place: HTMLDivElement | null): void => place?.scrollIntoView({ block: 'nearest' })

export const StepTypePicker = ({
  onPick,
  onCancel,
}: {
  onPick: (type: StepType) => void
  onCancel: () => void
}) => (
  // biome-ignore lint/a11y/noStaticElementInteractions: only listens to what the field inside doesn't use
  <div
    className="flow-adding"
    ref={showWhole}
    onKeyDown={(event) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      onCancel()
    }}
    onBlur={({ currentTarget, relatedTarget }) => {
      if (relatedTarget && !currentTarget.contains(relatedTarget)) onCancel()
    }}
  >
    <Picker
      label={t`Step to add`}
      placeholder={t`Search steps…`}
      items={ITEMS}
      // The ids are the names of the types.
      onPick={(id) => onPick(id as StepType)}
    />
  </div>
)
