import type { FlowDefinition } from '../../../flow-engine/schema.ts'
import { type FlowDetails, versionQuery } from '../../state/flows.ts'
import { useApi } from '../../state/session.tsx'
import { toast } from '../../ui/toast.tsx'
import { VersionHistory } from '../../ui/version-history.tsx'
import { t } from '../../words/t.ts'
import { compareDefinitions } from './definition/compare-definitions.ts'
import { isSound } from './definition/is-sound.ts'
import { useEditor } from './editor-context.tsx'
import type { FlowDraftStore } from './use-draft.ts'

const Versions = ({ flow, store }: { flow: FlowDetails; store: FlowDraftStore }) => {
  const api = useApi()
  const { definition, names, isReadOnly } = useEditor()
  const restore = async (restored: FlowDefinition, version: number): Promise<void> => {
    if (!isSound(restored)) throw new Error(t`This version can’t be restored.`)
    store.change(() => restored)
    await store.flush()
    toast(t`Version ${version} is now the draft`)
  }
  return (
    <VersionHistory
      versions={flow.versions}
      liveVersion={flow.version}
      liveWord={flow.state === 'live' ? t`Live` : t`Latest`}
      draft={definition}
      queryOf={(version) => versionQuery(api, flow.id, version)}
      compare={(before, after) => compareDefinitions(before, after, names)}
      onRestore={isReadOnly ? undefined : restore}
    />
  )
}
export default Versions
