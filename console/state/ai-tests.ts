// Tests of the AI agent, as the console reads and changes them.
import { useQuery } from '@tanstack/react-query'
import type { OwnTest } from '../../server/domain/ai/evaluation/own-test-schema.ts'
import type {
  DraftReview,
  ListedTest,
  RunBody,
  TestDetails,
  TestList,
  TestResult,
  TestRun,
} from '../../server/domain/ai/evaluation/schema.ts'
import { keys } from './query-keys.ts'
import { useApi } from './session.tsx'

export type { DraftReview, ListedTest, OwnTest, RunBody, TestDetails, TestList, TestResult, TestRun }

/** Those that come with Foyer begin with a small letter. */
export const testTitle = (name: string): string => `${name[0]?.toUpperCase() ?? ''}${name.slice(1)}`

const RUNNING_POLL_MS = 1_500

/** Fetched again and again while a run goes on. */
export const useAiTests = () => {
  const api = useApi()
  return useQuery({
    queryKey: keys.aiTests(api.workspaceId),
    queryFn: ({ signal }) => api.get<TestList>('/ai-tests', {}, signal),
    refetchInterval: ({ state }) => (state.data?.run?.state === 'running' ? RUNNING_POLL_MS : false),
  })
}

/** `round`: results are fetched anew with each step of a run. */
export const useAiTest = (testId: string, round: string) => {
  const api = useApi()
  return useQuery({
    queryKey: keys.aiTest(api.workspaceId, testId, round),
    queryFn: ({ signal }) => api.get<TestDetails>(`/ai-tests/${testId}`, {}, signal),
    placeholderData: (before) => before,
  })
}
