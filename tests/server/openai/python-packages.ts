/** The packages for Python that the tests of OpenAI's API install, shared by all of them. */
export const PYTHON_PACKAGES = ['openai==3.54.0', 'openai-agents==0.24.0', 'litellm==1.83.0'];
