// Whether the draft is saved, and what to do if it can't be.
import { Suspense } from 'react'
import type { FlowDefinition } from '../../../flow-engine/schema.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { compareDefinitions } from './definition/compare-definitions.ts'
import type { Names } from './definition/words.ts'
import type { DraftStore, SaveState } from './draft-store.ts'
import { ChangeList } from './versions/change-list.tsx'

export const SaveWords = ({ save, isReadOnly }: { save: SaveState; isReadOnly: boolean }) => {
  if (isReadOnly) return <span>You can look at this flow, but not change it.</span>
  const words = {
    saved: 'Draft saved',
    unsaved: 'Saving…',
    saving: 'Saving…',
    offline: 'Not saved yet. Your changes are kept in this browser.',
    refused: 'Not saved',
    conflict: 'Not saved',
  }[save.is]
  return <span role="status">{words}</span>
}

export const DraftBanner = ({
  store,
  save,
  definition,
  names,
}: {
  store: DraftStore
  save: SaveState
  definition: FlowDefinition
  names: Names
}) => {
  if (save.is === 'offline')
    return (
      <Banner
        tone="warn"
        action={
          <Button size="small" onClick={() => void store.flush()}>
            Try again
          </Button>
        }
      >
        Can’t reach the server. Keep working: your changes are kept in this browser and saved once it’s back.
      </Banner>
    )
  if (save.is === 'refused') return <Banner tone="danger">The draft wasn’t saved: {save.message}</Banner>
  if (save.is !== 'conflict') return null
  const { theirs, base } = save
  return (
    <section className="section" aria-label="Conflicting changes">
      <Banner tone="warn">Somebody else changed this flow while you were editing it.</Banner>
      <Suspense>
        <div className="grid-2">
          <div className="stack stack--tight">
            <h2 className="section__title">Their changes</h2>
            <ChangeList changes={compareDefinitions(base, theirs.definition, names)} />
            <span>
              <Button onClick={store.takeTheirs}>Use theirs</Button>
            </span>
          </div>
          <div className="stack stack--tight">
            <h2 className="section__title">Your changes</h2>
            <ChangeList changes={compareDefinitions(base, definition, names)} />
            <span>
              <Button onClick={() => void store.keepMine()}>Keep mine</Button>
            </span>
          </div>
        </div>
        <p className="text-soft text-small">If you use theirs, undo brings yours back.</p>
      </Suspense>
    </section>
  )
}
