import type { Guidance, GuidanceAnswer, VersionAnswer } from '../../state/ai.ts'
import type { DraftStore } from '../../state/draft-store.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import { toast } from '../../ui/toast.tsx'
import { VersionHistory } from '../../ui/version-history.tsx'
import { t } from '../../words/t.ts'
import { compareGuidance, type NameOf } from './compare-guidance.ts'

const GuidanceVersions = ({
  stored,
  guidance,
  store,
  nameOf,
}: {
  stored: GuidanceAnswer
  guidance: Guidance
  store: DraftStore<Guidance>
  nameOf: NameOf
}) => {
  const api = useApi()
  return (
    <VersionHistory
      versions={stored.versions}
      liveVersion={stored.liveVersion}
      draft={guidance}
      queryOf={(version) => ({
        queryKey: keys.setting(api.workspaceId, t`ai-guidance version ${version}`),
        queryFn: async ({ signal }) =>
          (await api.get<VersionAnswer>(`/ai-guidance/versions/${version}`, {}, signal)).guidance,
      })}
      compare={(before, after) => compareGuidance(before, after, nameOf)}
      onRestore={async (restored, version) => {
        store.change(() => restored)
        await store.flush()
        toast(t`Version ${version} is now the draft`)
      }}
    />
  )
}
export default GuidanceVersions
