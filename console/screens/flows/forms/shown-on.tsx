// How each channel shows what a step says.
import type { Step } from '../../../../flow-engine/schema.ts'
import { t } from '../../../words/t.ts'
import { flowChannels, howShown, shownWords } from '../channel-facts.ts'
import { useEditor } from '../editor-context.tsx'

export const ShownOn = ({ step }: { step: Step }) => {
  const { definition } = useEditor()
  const shown = howShown(step, definition)
  if (shown.length === 0) return null
  const count = flowChannels(definition).length
  return (
    <section className="flow-shown" aria-label={t`How channels show it`}>
      <span className="field__label">{t`How channels show it`}</span>
      <ul>
        {shown.map((one) => (
          <li key={one.words} className="text-soft">
            {shownWords(one, count)}
          </li>
        ))}
      </ul>
    </section>
  )
}
