/** `templates/base_prompt.txt` as created by `converse init`; also used if a workspace has none. */
export const BASE_PROMPT = `You are an AI assistant helping with: {task_description}

Current iteration: {iteration}
Previous iteration summary: {previous_summary}

{context}

{tool_results_section}

Please continue with the next step.
`;

/** One result in the section of tool results. */
export const TOOL_RESULT = `Tool: {tool_name}
Status: {status}
Output:
{output}

---
`;

export const BASE_TOKENS: ReadonlySet<string> = new Set([
  'task_description',
  'iteration',
  'previous_summary',
  'context',
  'tool_results_section',
]);

export const RESULT_TOKENS: ReadonlySet<string> = new Set(['tool_use_id', 'tool_name', 'status', 'output']);
