// A block's title, and what follows its last step.
import { Trash2 } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/field.tsx'
import { t } from '../../../words/t.ts'
import { changeBlock, removeBlock } from '../definition/change-definition.ts'
import { useEditor } from '../editor-context.tsx'
import { TargetInput } from './target-input.tsx'

export const BlockForm = ({ id }: { id: string }) => {
  const { definition, change, isReadOnly } = useEditor()
  const block = definition.blocks[id]
  if (!block) return null
  const { title = '', next } = block
  return (
    <div className="stack stack--fields step-form">
      <TextField
        label={t`Title`}
        hint={t`Its id is “${id}”.`}
        maxLength={80}
        disabled={isReadOnly}
        value={title}
        onChange={({ target }) =>
          change((known) => changeBlock(known, id, { title: target.value }), t`${id} title`)
        }
      />
      <TargetInput
        label={t`After the last step`}
        empty={t`Stop here`}
        newTitle={t`After ${title || id}`}
        value={next}
        onChange={(target) => change((known) => changeBlock(known, id, { next: target }))}
      />
      {!isReadOnly && (
        <span className="row row--wrap">
          {definition.start !== id && (
            <Button size="small" onClick={() => change((known) => ({ ...known, start: id }))}>
              {t`Start here`}
            </Button>
          )}
          {Object.keys(definition.blocks).length > 1 && (
            <Button size="small" icon={Trash2} onClick={() => change((known) => removeBlock(known, id))}>
              {t`Delete block`}
            </Button>
          )}
        </span>
      )}
    </div>
  )
}
