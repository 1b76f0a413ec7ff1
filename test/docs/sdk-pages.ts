/**
 * The pages that are taken in test/adapters, where the SDKs are.
 * @module
 */
export const sdkPages = ['ai-sdk', 'claude-agent-sdk', 'google-adk', 'langchain', 'openai-agents', 'opentelemetry'].map((name) => `docs/${name}.md`);
